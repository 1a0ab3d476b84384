// The tables of telemetry in ClickHouse: creates them, or verifies those that the operator has created, and takes over what
// versions up to 0.3 have stored in others.
import { type ClickHouseClient, identifier, literal, unavailable } from './clickhouse-client.ts';

export interface TableOptions {
  /** As in WEFT_CLICKHOUSE_ENGINE: MergeTree, ReplicatedMergeTree with or without its arguments, or `existing`. */
  engine: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
}

/** What a 200 promises: parts are on disk before an insert is answered, and merged ones before they replace others. */
const durable = 'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1';

/** Merges are most of what small inserts cost: what is new waits for more of its kind, or until nothing has come for an hour, and what is large is not merged with little. */
const mergesOf = (parts: number) =>
  `${durable}, min_parts_to_merge_at_once = ${parts}, merge_selector_base = 20,
   min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1`;

const valuesOf =
  'arrayMap((digit, scale) -> if(scale = 255, reinterpretAsFloat64(digit), digit / exp10(scale)), digits, scales)';

const columns = {
  // A sample is a row. It belongs to the day of its insertion: so an insert is one part, and is there as a whole or not at all.
  telemetry_samples: {
    ap_id: 'String CODEC(ZSTD(1))',
    ts: `DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1))`,
    // By the clock of ClickHouse: of the values of one agent, name and time, the one that was inserted last counts.
    inserted: `DateTime64(6, 'UTC') DEFAULT now64(6) CODEC(Delta, ZSTD(1))`,
    repeat: 'UInt32 CODEC(ZSTD(1))',
    newest: 'UInt8 CODEC(ZSTD(1))',
    names: 'Array(LowCardinality(String)) CODEC(ZSTD(1))',
    // A value is its digits divided by ten to the power of its scale; where that is 255, they are the bytes of the number.
    digits: 'Array(Int64) CODEC(ZSTD(1))',
    scales: 'Array(UInt8) CODEC(ZSTD(1))',
    texts: 'Map(LowCardinality(String), String) CODEC(ZSTD(1))',
    values: `Array(Float64) ALIAS ${valuesOf}`,
    // For whoever queries the table.
    metrics: 'Map(LowCardinality(String), Float64) ALIAS mapFromArrays(names, values)',
  },
  // The newest value of each field, NaN for a text: which fields an agent has, without reading its samples.
  telemetry_fields: {
    ap_id: 'String',
    name: 'LowCardinality(String)',
    ts: `DateTime64(3, 'UTC')`,
    value: 'Float64',
    // 0 also for texts from when a name had one kind.
    is_text: 'UInt8',
  },
  telemetry_minutes: {
    ap_id: 'String CODEC(ZSTD(1))',
    name: 'LowCardinality(String)',
    minute: `DateTime('UTC') CODEC(DoubleDelta, ZSTD(1))`,
    points: 'UInt32 CODEC(ZSTD(1))',
    total: 'Float64 CODEC(ZSTD(1))',
    least: 'Float64 CODEC(ZSTD(1))',
    most: 'Float64 CODEC(ZSTD(1))',
    latest: 'Float64 CODEC(ZSTD(1))',
    rolled: `DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1))`,
    is_text: 'UInt8',
  },
  // Up to when all that was inserted is rolled up (without an agent), and when agents were removed.
  telemetry_marks: { ap_id: 'String', at: `DateTime64(6, 'UTC') DEFAULT now64(6)` },
} as const;
type Table = keyof typeof columns;

const fieldsOrder = 'ap_id, name, is_text';
const minutesOrder = 'ap_id, name, minute, is_text';

/** For statements that group very many rows. */
export const spillToDisk = { max_bytes_before_external_group_by: '1000000000', max_insert_block_size: '1000000' };

/** Whether tables of an earlier version have to be copied first. Safe if several nodes start at once. */
export async function prepareTables(client: ClickHouseClient, options: TableOptions): Promise<boolean> {
  if (options.engine === 'existing') {
    await verifyTables(client);
    return false;
  }
  const found = new Map<string, string>();
  const tables = await client.read(
    `SELECT name, engine_full FROM system.tables WHERE database = ${literal(client.database)}`,
  );
  while (!tables.isAtEnd) found.set(tables.text(), tables.text(1));
  if (found.size === 0) await client.run(`CREATE DATABASE IF NOT EXISTS ${identifier(client.database)}`);
  for (const [name, statement] of Object.entries(tableStatements(client, options))) {
    if (!found.has(name)) await client.run(statement);
  }
  await addKinds(client, found);
  for (const [name, ttl] of Object.entries(retention(options))) {
    if (found.get(name)?.includes(ttl) !== false) continue;
    await client.run(`ALTER TABLE ${client.table(name)} MODIFY TTL ${ttl}`, { mutations_sync: '0' });
  }
  return found.has('telemetry');
}

/** For tables from when a name had one kind, which is seen by the last of these changes. */
async function addKinds(client: ClickHouseClient, found: ReadonlyMap<string, string>): Promise<void> {
  if (found.get('telemetry_minutes')?.includes(`(${minutesOrder})`) !== false) return;
  const add = (name: Table, order: string) =>
    client.run(`ALTER TABLE ${client.table(name)} ADD COLUMN IF NOT EXISTS is_text UInt8, MODIFY ORDER BY (${order})`);
  await add('telemetry_fields', fieldsOrder);
  await client.run(`ALTER TABLE ${client.table('telemetry_newest_fields')} MODIFY QUERY ${selectFields(client)}`);
  await add('telemetry_minutes', minutesOrder);
}

/** What creates each of them, by its name. */
export function tableStatements(client: ClickHouseClient, options: TableOptions): Record<string, string> {
  const create = (name: Table, kind: string, version: string[], layout: string, settings = durable) => {
    const list = Object.entries(columns[name]).map(([column, type]) => `${column} ${type}`);
    return `CREATE TABLE IF NOT EXISTS ${client.table(name)} (${list.join(', ')})
      ENGINE = ${engineOf(options.engine, kind, version)} ${layout} TTL ${retention(options)[name]} SETTINGS ${settings}`;
  };
  return {
    telemetry_samples: create(
      'telemetry_samples',
      '',
      [],
      'PARTITION BY toYYYYMMDD(inserted) PRIMARY KEY (ap_id, ts) ORDER BY (ap_id, ts, inserted, repeat)',
      // All columns in one file, whatever the size: whoever asks for a few minutes reads them all, and a merge flushes one file.
      `index_granularity = 1024, min_bytes_for_wide_part = 1000000000000000, ttl_only_drop_parts = 1, ${mergesOf(16)}`,
    ),
    telemetry_fields: create('telemetry_fields', 'Replacing', ['ts'], `ORDER BY (${fieldsOrder})`, mergesOf(30)),
    telemetry_minutes: create(
      'telemetry_minutes',
      'Replacing',
      ['rolled'],
      `PARTITION BY toYYYYMM(minute) ORDER BY (${minutesOrder})`,
    ),
    telemetry_marks: create('telemetry_marks', 'Replacing', ['at'], 'ORDER BY ap_id'),
    // Filled by the same insert, from the rows that may have the newest value of a field.
    telemetry_newest_fields: `CREATE MATERIALIZED VIEW IF NOT EXISTS ${client.table('telemetry_newest_fields')}
     TO ${client.table('telemetry_fields')} AS ${selectFields(client)}`,
  };
}

function selectFields(client: ClickHouseClient): string {
  return `SELECT ap_id, name, ts, value, isNaN(value) AS is_text
    FROM (SELECT * FROM ${client.table('telemetry_samples')} WHERE newest)
    ARRAY JOIN arrayConcat(names, mapKeys(texts)) AS name,
      arrayConcat(${valuesOf}, arrayMap(text -> nan, mapKeys(texts))) AS value`;
}

/** The TTL of each table. */
function retention({ rawRetentionMs, rollupRetentionMs }: TableOptions): Record<Table, string> {
  const after = (column: string, ms: number) => `${column} + toIntervalSecond(${Math.ceil(ms / 1000)})`;
  return {
    telemetry_samples: after('toDateTime(ts)', rawRetentionMs),
    telemetry_fields: after('toDateTime(ts)', rawRetentionMs),
    telemetry_minutes: after('minute', rollupRetentionMs),
    telemetry_marks: after('toDateTime(at)', rollupRetentionMs),
  };
}

/** MergeTree → ReplacingMergeTree(ts), ReplicatedMergeTree('a', 'b') → ReplicatedReplacingMergeTree('a', 'b', ts). */
function engineOf(engine: string, kind: string, more: string[]): string {
  const [, prefix = '', args] = /^(.*?)MergeTree(?:\((.*)\))?$/.exec(engine) ?? [];
  return `${prefix}${kind}MergeTree(${[...(args ? [args] : []), ...more].join(', ')})`;
}

async function verifyTables(client: ClickHouseClient): Promise<void> {
  const found = new Set<string>();
  const rows = await client.read(
    `SELECT concat(table, '.', name) FROM system.columns WHERE database = ${literal(client.database)}`,
  );
  while (!rows.isAtEnd) found.add(rows.text());
  const missing = Object.entries(columns)
    .flatMap(([table, list]) => Object.keys(list).map((column) => `${table}.${column}`))
    .filter((column) => !found.has(column));
  if (missing.length === 0) return;
  throw unavailable(
    `WEFT_CLICKHOUSE_ENGINE is existing, and ClickHouse does not have the columns ${missing.join(', ')}`,
  );
}

/** What is done is done after an interruption, and what is copied twice is the same. `client` waits for as long as a day takes. */
export async function copyOldTables(client: ClickHouseClient): Promise<void> {
  const old = (name: string) => `${identifier(client.database)}.${name}`;
  for (let isFirst = true; ; isFirst = false) {
    const days = await client.read(`SELECT max(partition_id) FROM system.parts
      WHERE database = ${literal(client.database)} AND table = 'telemetry' AND active`);
    const day = days.text();
    if (day === '') break;
    // Names first: no append may meet a name without its kind.
    if (isFirst) {
      await client.run(`INSERT INTO ${client.table('telemetry_fields')} (ap_id, name, ts, value, is_text)
        SELECT ap_id, name, tupleElement(max(newest), 'ts'), if(is_text, nan, tupleElement(max(newest), 'value')), is_text
        FROM ${old('telemetry_newest')} GROUP BY ap_id, name, is_text`);
    }
    const isShort = 'round(value * 1000) / 1000 = value AND abs(value) < 1e12';
    // Rows of an append over several days counted once its number was in telemetry_batches.
    await client.run(
      `INSERT INTO ${client.table('telemetry_samples')} (ap_id, ts, inserted, repeat, newest, names, digits, scales, texts)
       SELECT ap_id, ts, fromUnixTimestamp64Micro(toInt64(intDiv(version, 1000)), 'UTC'), 0, 0,
         groupArrayIf(name, NOT is_text), groupArrayIf(if(${isShort}, toInt64(round(value * 1000)), reinterpretAsInt64(value)), NOT is_text),
         groupArrayIf(if(${isShort}, 3, 255), NOT is_text),
         CAST((groupArrayIf(name, is_text), groupArrayIf(text, is_text)), 'Map(LowCardinality(String), String)')
       FROM ${old('telemetry')} FINAL
       WHERE _partition_id = ${literal(day)} AND (batch = 0 OR batch IN (SELECT batch FROM ${old('telemetry_batches')}))
       GROUP BY ap_id, ts, version`,
      spillToDisk,
    );
    await client.run(`ALTER TABLE ${old('telemetry')} DROP PARTITION ID ${literal(day)}`);
  }
  // They were inserted before what is rolled up by now.
  await client.run(`DELETE FROM ${client.table('telemetry_marks')} WHERE ap_id = ''`);
  // The one by which they are found last.
  for (const name of ['telemetry_batches', 'telemetry_newest', 'telemetry']) {
    await client.run(`DROP TABLE IF EXISTS ${old(name)}`);
  }
}
