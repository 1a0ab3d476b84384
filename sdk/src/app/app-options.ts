// The options of an App and of its methods.
import type { Aggregate, BatchRequest, EmulatorSpinupRequest } from '@weft/contract';
import type { BackOffOptions } from '@weft/contract/back-off';
import type { Query } from '../http-client.ts';
import type { Credentials } from './credentials.ts';
import type { WebSocketClass } from './web-socket.ts';

/** A Date, milliseconds since 1970, or RFC 3339. */
export type Moment = Date | number | string;

export function toTime(moment: Moment): string {
  return typeof moment === 'string' ? moment : new Date(moment).toISOString();
}

export interface Abortable {
  /** Gives up with the signal's reason. */
  signal?: AbortSignal;
}

/** Minutes, or a number with a unit (`90s`, `1h`, `2d`, `1w`), or an ISO 8601 duration; default: 5 minutes. */
export type Window = number | string;

export type AppOptions = Credentials & {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** How long a request is repeated while Weft is busy or away before it fails; default: 60,000 ms. */
  patienceMs?: number;
  backOff?: BackOffOptions;
  /** Instead of the one of the platform. */
  fetch?: typeof fetch;
  /** Instead of the one of the platform. */
  WebSocket?: WebSocketClass;
};

export interface FleetOptions extends Abortable {
  /** Only these access points. */
  agents?: readonly string[];
}

export interface LatestOptions extends FleetOptions {
  /** Only these metrics. */
  metrics?: readonly string[];
}

export interface SeriesOptions extends Abortable {
  window?: Window;
  /** Of each series; longer ones come as evenly spaced buckets. Default: 5,000. */
  maxPoints?: number;
  /** The result of the values that share a bucket; default: `mean`. */
  aggregate?: Aggregate;
  /** Where the window ends; default: now. */
  end?: Moment;
}

export interface HistoryOptions extends Abortable {
  from: Moment;
  /** Default: now. */
  to?: Moment;
}

export interface SubscribeOptions extends Abortable {
  /** At most 24 hours ahead. */
  until: Moment;
  /** What is stored since then comes first; default: now. */
  from?: Moment;
}

export interface CommandOptions extends Abortable {
  /** How long others may not change the parameter; default: as the rules say. 0 holds nothing. */
  holdSeconds?: number;
  /** Seconds until the command is given up; default: 600. */
  expiresIn?: number;
  /** What must stay true, as `metric<limit` or `metric>limit`; if it does not, the old value is put back. */
  guard?: string;
  /** Only the verdict: nothing is sent. */
  dryRun?: boolean;
  /** Of one key only one command is made, so that a repeated request is harmless; default: a random key. */
  idempotencyKey?: string;
}

export interface SteerOptions extends Omit<CommandOptions, 'dryRun' | 'guard'> {
  /** The access point that serves it; default: the strongest of its links. */
  from?: string;
  /** How long the target has to report it; default: 30. */
  timeoutSeconds?: number;
  /** Also where it would be served badly. */
  force?: boolean;
}

export interface BatchOptions extends Abortable {
  holdSeconds?: number;
  expiresIn?: number;
  dryRun?: boolean;
  /** In steps: so many percent of the access points, then a pause. */
  stages?: BatchRequest['stages'];
}

export interface ConflictOptions extends Abortable {
  /** Only of this access point. */
  agent?: string;
  /** Only with this reason. */
  reason?: string;
  since?: Moment;
  until?: Moment;
}

export interface RequestOptions extends Abortable {
  query?: Query;
  json?: unknown;
  form?: Record<string, string>;
}

export interface DownloadOptions extends Abortable {
  from: Moment;
  /** Default: now. */
  to?: Moment;
  /** Default: `csv`. */
  format?: 'csv' | 'ndjson';
  /** Only these metrics. */
  metrics?: readonly string[];
}

export type EmulationRequest = EmulatorSpinupRequest;
