// A part is one feature of Weft as the server sees it: what it adds to the interface, and how it starts and stops.
// `createXPart(deps, events)` creates one; parts.ts lists them all; serve.ts runs any list of them.
import type { Broker } from '@weft/broker';
import type { Caller } from './base/caller.ts';
import type { Config } from './base/config.ts';
import type { CredentialScheme } from './base/credential.ts';
import type { Formats } from './base/input/validator.ts';
import type { FenceReason } from './base/node-fence.ts';
import type { NodeNews } from './base/node-news.ts';
import type { PasswordHasher } from './base/password-hasher.ts';
import type { Keyring } from './base/secrets.ts';
import type { Shares } from './base/shares/shares.ts';
import type { DiskSpace } from './base/storage/disk-space.ts';
import type { Replicas } from './base/storage/replica.ts';
import type { SqlDatabase } from './base/storage/sql-database.ts';
import type { WriteOutcomes } from './base/storage/write-outcomes.ts';
import type { Gauges } from './http/pages/service-metrics.ts';
import type { Authenticator } from './http/request/guard.ts';
import type { Logger } from './http/request/log.ts';
import type { Route } from './http/request/route.ts';
import type { SocketRoute } from './http/sockets/socket-route.ts';
import type { Retention } from './retention/retention.ts';
import type { TelemetryStore } from './telemetry/store/telemetry-store.ts';

export interface Part {
  routes?: Route[];
  sockets?: {
    routes: SocketRoute[];
    /** Closes every socket; no more can be opened. Called while the HTTP server closes. */
    close(): Promise<void>;
  };
  metrics?: Gauges;
  /** Tables that it keeps in memory, by names that gauges have for them: they are looked at once a second. */
  replicas?: Replicas;
  /** What /readyz says of it. */
  readiness?(): { name: string; ok: boolean };
  /** What /readyz warns of, which takes nothing out of service: a code, and an id that names nobody. */
  warnings?(): string[];
  /** Formats of input that its schemas name. */
  formats?: Formats;
  /** The ids of the access points that the caller sees and that people call by this name. */
  idsOf?(caller: Caller, display_name: string): Promise<string[]>;
  /** Its ways to log in; no two read the same text. */
  schemes?: CredentialScheme[];
  /** What else it knows about callers. Together the parts are what the guard asks. */
  authenticator?: Partial<Omit<Authenticator, 'schemes'>>;
  /** Once the tables exist, in the order of the list. Repeated from the first part on if the database goes away meanwhile. */
  prepare?(): Promise<void>;
  /** Once Weft listens and the tables exist, in the order of the list. */
  start?(): Promise<void> | void;
  /** Ends the work that is under way, while Weft still answers. All parts at once. */
  drain?(): Promise<void> | void;
  /** Once nobody is connected any more, in the reverse order of the list. */
  stop?(): Promise<void> | void;
}

/** What every part may use: settings, backends, log. */
export interface Platform {
  config: Config;
  database: SqlDatabase;
  telemetryStore: TelemetryStore;
  broker: Broker;
  /** Between the nodes that share the database. */
  news: NodeNews;
  /** What events and alarms call this node: its host, and its port too where others may run there. */
  node: string;
  keyring: Keyring;
  hasher: PasswordHasher;
  /** What writes to database and telemetry have answered within seconds. */
  writes: WriteOutcomes;
  /** Free space for the data folder. */
  diskSpace: DiskSpace;
  /** Where parts say what they keep, and for how long. */
  retention: Retention;
  /** What callers take of everything that can run out. */
  shares: Shares;
  /** Whether clients are better served by another node, and why. */
  isCutOff: () => boolean;
  fenceReason: () => FenceReason | undefined;
  /** The time by which nodes decide together (leases, expiry): that of the database that they share. */
  now: () => number;
  /** How long a record that other processes may change is trusted without looking again. */
  freshMs: number;
  /** Where this process listens, once it does. */
  ownUrl: () => string;
  log: Logger;
  /** Logs a failure that Weft recovers from by itself. */
  onError: (error: unknown, message: string) => void;
  /** Logs that something is unreachable (with the error), or back. */
  onChange: (message: string, error?: unknown) => void;
}
