// Settings of the data: where it is stored, how long, and the secrets that protect it.
import * as read from '../setting-values.ts';
import { settingsOf } from './setting.ts';

const { secret, withDefault } = settingsOf('Data');

/** Also says what to do with what version 0.2.0 took: several databases, and reads on standbys. */
const telemetryAddress = (value: string) => {
  if (/[\s,][a-z]+:\/\//i.test(value.trim()) || /\s/.test(value.trim())) {
    throw new Error(
      'names several databases, and telemetry is in one: with Weft 0.2.0 move everything to one of them with ' +
        'weft rebalance --drain, then name that one',
    );
  }
  if (/[?&]standby(=|&|$)/.test(value)) {
    throw new Error('has standby, and telemetry is not read from standbys any more: remove that from the address');
  }
  // Only servers of PostgreSQL stand in for each other.
  if (/^postgres(ql)?:/i.test(value)) return read.urlOfServers('postgres', 'postgresql')(value);
  return read.urlWith('postgres', 'postgresql', 'clickhouse', 'clickhouses')(value);
};

const clickHouseEngine = (value: string) => {
  const args = /^(?:MergeTree|existing|ReplicatedMergeTree(?:\(('[^'\\]+', ?'[^'\\]+')\))?)$/.exec(value);
  if (!args)
    throw new Error("must be MergeTree, ReplicatedMergeTree, ReplicatedMergeTree('path', 'replica') or existing");
  // Two tables at one path would be one table.
  if (args[1] && !/\{(table|uuid)\}/.test(args[1])) throw new Error('must have {table} or {uuid} in its path');
  return value;
};

export const dataSettings = {
  dataDir: withDefault('WEFT_DATA_DIR', 'FOLDER', './data', {
    read: read.text,
    description: 'Folder for all data of Weft on this machine. Created if it does not exist.',
  }),
  diskReserveMb: withDefault('WEFT_DISK_RESERVE_MB', 'MIB', '500', {
    read: read.wholeNumber(0, 10_000_000),
    description:
      'Free space on the disk of the data folder below which Weft warns, in the log, in /readyz and in weft doctor.',
  }),
  databaseUrl: secret('WEFT_DATABASE_URL', 'URL', {
    read: read.urlOfServers('postgres', 'postgresql'),
    description:
      'PostgreSQL to use instead of SQLite in the data folder: postgres://user@host/database. With a standby, name all servers: postgres://user@first:5432,second:5432/database. Weft uses the one that takes writes.',
  }),
  databasePool: withDefault('WEFT_DATABASE_POOL', 'COUNT', '10', {
    read: read.wholeNumber(2, 1000),
    description:
      'Connections to PostgreSQL at most, of this node: so many for accounts and jobs, as many for telemetry if it is there too, and two more between nodes.',
  }),
  telemetryUrl: secret('WEFT_TELEMETRY_URL', 'URL', {
    read: telemetryAddress,
    description:
      'PostgreSQL or ClickHouse for telemetry, instead of the data folder, so that all nodes read and write the same: postgres://user@host/database, which may be the one of WEFT_DATABASE_URL and name several servers like it, or clickhouse://user:password@host:8123/database (clickhouses:// with TLS). In ClickHouse, the database is created if it does not exist.',
  }),
  clickHouseEngine: withDefault('WEFT_CLICKHOUSE_ENGINE', 'ENGINE', 'MergeTree', {
    read: clickHouseEngine,
    description:
      "Engine of the tables that Weft creates in ClickHouse: MergeTree, ReplicatedMergeTree, or ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}'). With existing, Weft creates none and uses the tables that are there.",
  }),
  amqpUrl: secret('WEFT_AMQP_URL', 'URL', {
    read: read.urlOfServers('amqp', 'amqps'),
    description:
      'RabbitMQ for jobs and for notifications between nodes, instead of a file in the data folder: amqp://user:password@host/vhost. For a cluster, name its nodes: amqp://user:password@first,second,third/vhost.',
  }),
  telemetryRetentionDays: withDefault('WEFT_TELEMETRY_RETENTION_DAYS', 'DAYS', '30', {
    read: read.wholeNumber(1, 3650),
    description: 'Retention of samples. Older samples are rejected.',
  }),
  rollupRetentionDays: withDefault('WEFT_ROLLUP_RETENTION_DAYS', 'DAYS', '400', {
    read: read.wholeNumber(1, 3650),
    description: 'Retention of roll-ups by minute and hour, and the longest window of a query.',
  }),
  jobRetentionHours: withDefault('WEFT_JOB_RETENTION_HOURS', 'HOURS', '24', {
    read: read.wholeNumber(1, 8760),
    description: 'Retention of a job and its messages after its end.',
  }),
  eventRetentionDays: withDefault('WEFT_EVENT_RETENTION_DAYS', 'DAYS', '90', {
    read: read.wholeNumber(1, 3650),
    description: 'Retention of events. Events about devices are kept for 24 hours.',
  }),
  secret: secret('WEFT_SECRET', 'TEXT', {
    keepFilePrivate: true,
    read: read.signingSecret,
    description:
      'Signs tokens and encrypts api keys: at least 32 random bytes, the same on every node. Required with WEFT_DATABASE_URL. Otherwise, by default, a secret is generated and stored in the data folder.',
  }),
  previousSecrets: secret('WEFT_SECRET_PREVIOUS', 'TEXTS', {
    keepFilePrivate: true,
    read: read.listOf(read.signingSecret),
    description: 'Earlier values of WEFT_SECRET that are still valid while it is being changed, separated by commas.',
  }),
} as const;
