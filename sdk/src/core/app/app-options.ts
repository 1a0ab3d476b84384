// The options of an App and of its methods.
import type {
  AgentConfiguration,
  AgentListItem,
  Aggregate,
  Agent as AnyAgent,
  AgentDetails as AnyAgentDetails,
  EventItem as AnyEvent,
  BatchRequest,
  CommandArguments,
  EmulatorSpec,
  EmulatorSpinupRequest,
  EventData,
  EventKind,
  SteerResult,
  Technology,
} from '@weft/contract';
import type { BackOffOptions } from '@weft/contract/back-off';
import type { Query } from '../http-client.ts';
import type { Credentials } from './credentials.ts';
import type { Operations, operations } from './operations.ts';
import type { WebSocketClass } from './web-socket.ts';

/** A Date, milliseconds since 1970, or RFC 3339. */
export type Moment = Date | number | string;

export function toTime(moment: Moment): string {
  return typeof moment === 'string' ? moment : new Date(moment).toISOString();
}

export interface Abortable {
  /** Gives up with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** A name that is written out must be a usual one, so that a misspelt one is seen; a `string` may be any. */
export type CommandName<Name extends string> = string extends Name ? Name : Name & keyof CommandArguments;
export type ArgumentsFor<Name> = Name extends keyof CommandArguments ? CommandArguments[Name] : Record<string, unknown>;
/** What the access point answers to a command of this name. */
export type ResultOf<Name> = Name extends 'steer_device' ? SteerResult : unknown;

type Configured<Record> = Omit<Record, 'configuration'> & { configuration: AgentConfiguration };
export type AgentRecord = Configured<AnyAgent>;
export type AgentDetails = Configured<AnyAgentDetails>;
export type SelectedAgent = Configured<AgentListItem>;
/** A newer Weft may have more kinds. */
export type EventItem = Omit<AnyEvent, 'kind' | 'data'> & { kind: EventKind | (string & {}); data: EventData };

/** A kind, or all of a family: `alarm.fired`, `alarm.*`. */
export type EventPattern = EventKind | FamilyOf<EventKind> | '*';
type FamilyOf<Kind> = Kind extends `${infer Family}.${string}` ? `${Family}.*` : never;

/** Minutes, or a number with a unit (`90s`, `1h`, `2d`, `1w`), or an ISO 8601 duration; default: 5 minutes. */
export type Window = number | string;

export type AppOptions = Credentials & {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** How long a request is repeated while Weft is busy or away before it fails; default: 60,000 ms. */
  patienceMs?: number | undefined;
  backOff?: BackOffOptions | undefined;
  /** Instead of the one of the platform. */
  fetch?: typeof fetch | undefined;
  /** Instead of the one of the platform. */
  WebSocket?: WebSocketClass | undefined;
};

export interface FleetOptions extends Abortable {
  /** Only these access points. */
  agents?: readonly string[] | undefined;
}

export interface LatestOptions extends FleetOptions {
  /** Only these metrics. */
  metrics?: readonly string[] | undefined;
}

export interface SeriesOptions extends Abortable {
  window?: Window | undefined;
  /** Of each series; longer ones come as evenly spaced buckets. Default: 5,000. */
  maxPoints?: number | undefined;
  /** The result of the values that share a bucket; default: `mean`. */
  aggregate?: Aggregate | undefined;
  /** Where the window ends; default: now. */
  end?: Moment | undefined;
}

export interface HistoryOptions extends Abortable {
  from: Moment;
  /** Default: now. */
  to?: Moment | undefined;
}

export interface SubscribeOptions extends Abortable {
  /** At most 24 hours ahead. */
  until: Moment;
  /** What is stored since then comes first; default: now. */
  from?: Moment | undefined;
}

export interface CommandOptions extends Abortable {
  /** How long others may not change the parameter; default: as the rules say. 0 holds nothing. */
  holdSeconds?: number | undefined;
  /** Seconds until the command is given up; default: 600. */
  expiresIn?: number | undefined;
  /** What must stay true, as `metric<limit` or `metric>limit`; if it does not, the old value is put back. */
  guard?: string | undefined;
  /** Only the verdict: nothing is sent. */
  dryRun?: boolean | undefined;
  /** Of one key only one command is made, so that a repeated request is harmless; default: a random key. */
  idempotencyKey?: string | undefined;
}

export interface SteerOptions extends CommandOptions {
  /** The access point that serves it; default: the strongest of its links. */
  from?: string | undefined;
  /** How long the target has to report it; default: 30. */
  timeoutSeconds?: number | undefined;
  /** Also where it would be served badly. */
  force?: boolean | undefined;
}

export interface BatchOptions extends Pick<CommandOptions, 'holdSeconds' | 'expiresIn' | 'dryRun' | 'signal'> {
  /** In steps: so many percent of the access points, then a pause. */
  stages?: BatchRequest['stages'] | undefined;
}

export interface ConflictOptions extends Abortable {
  /** Only of this access point. */
  agent?: string | undefined;
  /** Only with this reason. */
  reason?: string | undefined;
  since?: Moment | undefined;
  until?: Moment | undefined;
}

export interface RequestOptions extends Abortable {
  query?: Query | undefined;
  json?: unknown | undefined;
  form?: Record<string, string> | undefined;
}

/** By method and path: `GET /api/v1/jobs/{job_number}`. */
type Calls = { [Name in keyof Operations as (typeof operations)[Name]]: Operations[Name] };

type Steps<Path extends string> = Path extends `${infer Step}/${infer Rest}` ? [Step, ...Steps<Rest>] : [Path];

/** Whether these are the steps of a path; in the place of a parameter stands anything. */
type Fits<Given extends string[], Known extends string[]> = Known extends [infer A, ...infer Rest extends string[]]
  ? Given extends [infer B, ...infer Others extends string[]]
    ? A extends `{${string}}`
      ? Fits<Others, Rest>
      : B extends A
        ? Fits<Others, Rest>
        : false
    : false
  : Given extends []
    ? true
    : false;

/** The operation that a method and a path mean; never, if the path is not known before the program runs. */
type CallOf<Method extends string, Path extends string> = `${Method} ${Path}` extends keyof Calls
  ? `${Method} ${Path}`
  : {
      [Call in keyof Calls]: Call extends `${Method} ${infer Known}`
        ? Fits<Steps<Path>, Steps<Known>> extends true
          ? Call
          : never
        : never;
    }[keyof Calls];

type Asked<Call extends keyof Calls> = Omit<Calls[Call], 'answer' | 'path'> & Abortable;

/** What `request` takes behind the path; at an operation that needs nothing it may be left out. */
export type Asking<Method extends string, Path extends string> = [CallOf<Method, Path>] extends [never]
  ? [options?: RequestOptions]
  : Record<string, never> extends Asked<CallOf<Method, Path>>
    ? [options?: Asked<CallOf<Method, Path>>]
    : [options: Asked<CallOf<Method, Path>>];

/** What it resolves. */
export type Answered<Method extends string, Path extends string> = [CallOf<Method, Path>] extends [never]
  ? // biome-ignore lint/suspicious/noExplicitAny: the caller knows what it asks for
    any
  : Calls[CallOf<Method, Path>]['answer'];

export interface DownloadOptions extends HistoryOptions {
  /** Default: `csv`. */
  format?: 'csv' | 'ndjson' | undefined;
  /** Only these metrics. */
  metrics?: readonly string[] | undefined;
}

export type EmulationRequest = Omit<EmulatorSpinupRequest, 'emulators'> & {
  emulators: (Omit<EmulatorSpec, 'access_point_type'> & { access_point_type: Technology })[];
};
