// What a feature writes to be reachable: a list of routes. Each names its operation, who may call it, its schemas, and what to
// do; http/server/server.ts does the rest: guard, body, validation, answer, OpenAPI.
import { Readable } from 'node:stream';
import { StatusAnswer } from '@weft/contract';
import type { Static, TObject, TSchema } from '@weft/contract/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../base/caller.ts';
import type { SessionClaims, Shown } from '../../base/credential.ts';
import { AuthenticationError, PermissionError } from '../../base/errors.ts';
import type { JsonPath } from '../../base/input/json-scanner.ts';
import type { Permission } from '../../base/rights/permission.ts';
import { givingWay } from '../../base/time-slices.ts';

/** A request as the framework has it, for what happens before it is read. */
export type IncomingRequest = FastifyRequest;

export const noBytes = new Uint8Array(0);

/** What a status means if the route says nothing more special. */
export const failureMeanings = {
  400: 'The request cannot be read',
  401: 'Not authenticated',
  403: 'Not permitted',
  404: 'Not found, or not visible to the caller',
  409: 'Conflict',
  412: 'Changed meanwhile: If-Match does not match',
  413: 'The body is too large',
  415: 'The Content-Type or Content-Encoding cannot be read',
  421: 'The Host is not served here',
  422: 'Validation Error',
  429: 'Too many requests; see Retry-After',
  500: 'Internal Server Error; the log has the rest, under `request_id`',
  503: 'Out of service for now; see Retry-After',
} as const;

export type FailureStatus = keyof typeof failureMeanings;

/** The tags of the interface document, in its order: each route names one. */
export const tagDescriptions = {
  Token: 'Log in as a user, an agent or an app, for an access token.',
  Users: 'Accounts of people: sign up, recover a password, manage users.',
  Agents: 'Access points, and the tokens with which they register themselves.',
  Configuration: 'What access points shall be: layers of settings, change sets, roll-outs.',
  Fleet: 'Access points as a fleet: list, labels, sites, selectors, changes of many at once.',
  'Third-party apps': 'Programs of others, with what each of them may do.',
  Audit: 'Who changed what, and when.',
  Events: 'What happened: a log of events, in pages and live.',
  Webhooks: 'Events as requests to other programs.',
  Notifications: 'Who is told of events by e-mail.',
  Telemetry: 'What agents report.',
  Metrics: 'What agents have reported: series, latest values, live values, presence.',
  Devices: 'What attaches to access points: where devices are, what they hear, how they move.',
  Jobs: 'Requests whose results arrive later, over a WebSocket or by polling.',
  Callbacks: 'Where workers deliver the results of jobs.',
  Alarms: 'What is wrong with access points: rules, alarms and silences.',
  Energy: 'What access points have drawn, and what commands have saved on emulated networks.',
  Incidents: 'Alarms that belong together, who was affected, and what is known of the cause.',
  Commands: 'Commands to agents, and their results.',
  Conflicts: 'Commands that exclude each other, and the rules that decide.',
  Emulator: 'Emulated networks of access points and devices.',
} as const;

export type Tag = keyof typeof tagDescriptions;

/** What a handler is given. On the fast lane there is no request and no reply of the framework's. */
interface ContextParts<Query, Body> {
  caller: Caller | undefined;
  query: Query;
  body: Body;
  inexact: JsonPath[];
  bytes?: Uint8Array | undefined;
  text?: string;
  request?: FastifyRequest;
  reply?: FastifyReply;
}

export class RouteContext<Query = unknown, Body = unknown> {
  readonly query: Query;
  readonly body: Body;
  /** Undefined only where the permission allows requests without a token. */
  readonly callerIfAny: Caller | undefined;
  /** The paths of integers of the body that were rounded; see readJson. */
  readonly inexact: JsonPath[];
  /** The JSON body as received, if the route takes it so; else empty. */
  readonly bytes: Uint8Array;
  /** The JSON body as received, if the route keeps it; else empty. */
  readonly text: string;
  readonly #request: FastifyRequest | undefined;
  readonly #reply: FastifyReply | undefined;

  constructor({ caller, query, body, inexact, bytes = noBytes, text = '', request, reply }: ContextParts<Query, Body>) {
    this.callerIfAny = caller;
    this.query = query;
    this.body = body;
    this.inexact = inexact;
    this.bytes = bytes;
    this.text = text;
    this.#request = request;
    this.#reply = reply;
  }

  get request(): FastifyRequest {
    if (!this.#request) throw new Error('there is no request on the fast lane');
    return this.#request;
  }

  get reply(): FastifyReply {
    if (!this.#reply) throw new Error('there is no reply on the fast lane');
    return this.#reply;
  }

  get caller(): Caller {
    if (!this.callerIfAny) throw new AuthenticationError();
    return this.callerIfAny;
  }

  get shown(): Shown {
    const { shown } = this.request;
    if (!shown) throw new AuthenticationError();
    return shown;
  }

  get session(): SessionClaims {
    const { session } = this.shown;
    if (session) return session;
    throw new PermissionError(
      'no_session',
      'Log in with a name and a password for this: what you have shown has no session',
    );
  }

  /** A path parameter, percent-decoded. `me` in place of a username is the calling user's. */
  path(name: string): string {
    const value = pathParameter(this.request, name);
    const isMe = name === 'username' && value === 'me' && this.callerIfAny?.kind === 'user';
    return isMe ? this.caller.name : value;
  }

  /** Where the request comes from: the peer, or what a trusted proxy says. */
  get address(): string {
    return this.request.ip;
  }
}

/** Names of all kinds are stored in one spelling. */
export function pathParameter({ params }: { params: unknown }, name: string): string {
  return (params as Record<string, string>)[name]!.normalize('NFC');
}

export interface Route {
  operation: string;
  /** Its number, if it is one of the original specification. */
  spec?: number;
  permission: Permission;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  tag: Tag;
  summary: string;
  /** For the document: what the summary and the schemas do not say, such as bounds over several fields. */
  description?: string;
  /** Statuses beside those that follow from the rest of the route (route-statuses.ts), or what they mean here. */
  failures?: Partial<Record<FailureStatus, string>>;
  query?: TObject;
  /** At most one of these three. */
  body?: TSchema;
  form?: TObject;
  /** A parameter of the query that may stand in the form instead. */
  queryInForm?: string;
  /** The handler gets the bytes: text, or octets, gzip allowed; this many at most, inflated. */
  rawBody?: { maxBytes: number };
  /** How many keys a JSON body may have, if not the usual number. */
  maxKeys?: number;
  /** The handler gets the JSON body as bytes, and reads it itself: as strictly as `body`, which is what others are told. */
  bodyAsBytes?: true;
  /** The handler gets the text of the JSON body beside its value. */
  keepsText?: true;
  /** The answer is 204 and nothing else. */
  hasNoAnswer?: true;
  /**
   * Agents may show their password too, as clients of InfluxDB do: `Basic`, `Token` and `?u=&p=`; or apps their key,
   * as `Basic` with their name: for clients that cannot log in again when a token ends.
   */
  takes?: 'agent_password' | 'app_key';
  /** Called so often that it skips the framework (fast-lane.ts). */
  fastLane?: true;
  /** A success is not logged: it is too frequent. Default: changes are logged, reads are not. */
  logSuccess?: false;
  /** Of a method other than GET: no record is another one afterwards, so that the audit log has no entry of it. */
  changesNothing?: true;
  /** The answer may take long to begin or to end, or takes something away: HEAD is answered without the handler. */
  holdsOpen?: true;
  /** The handler sets an ETag of its own; `compared`: it also compares the one that an `If-Match` names. */
  etag?: 'given' | 'compared';
  response: TSchema;
  /** Of what the answer is made, where it is not JSON. */
  media?: readonly string[];
  /** The token may also come as `?token=`: for browsers' event streams, which cannot set headers. */
  tokenInQuery?: boolean;
  /** The path parameter, or `?name` of the query, that says whom or what the request is about. Default: the first of the path. */
  target?: string;
  /** What the caller must have besides the permission; throws PermissionError before anything is validated. */
  admit?: (request: FastifyRequest) => void | Promise<void>;
  handle: (context: RouteContext) => Promise<unknown>;
}

type Definition<Q extends TObject, B extends TSchema, R extends TSchema> = Omit<
  Route,
  'operation' | 'method' | 'url' | 'tag' | 'handle' | 'query' | 'body' | 'form' | 'response'
> & {
  query?: Q;
  response: R;
  /** Resolves the answer, or its JSON. */
  handle: (context: RouteContext<Static<Q>, Static<B>>) => Promise<Static<R> | string>;
} & ({ body?: B } | { form?: B });

/** Declares the routes of a tag: the operation, where it is, and the rest, which ties the types of schemas to the handler. */
export function routesOf(tag: Tag) {
  return <Q extends TObject = TObject, B extends TSchema = TSchema, R extends TSchema = TSchema>(
    operation: string,
    endpoint: `${Route['method']} /${string}`,
    definition: Definition<Q, B, R>,
  ): Route => {
    const [method, url] = endpoint.split(' ');
    const target = url?.match(/:(\w+)/)?.[1];
    return { operation, method, url, tag, target, ...definition } as unknown as Route;
  };
}

/** The rest of a route that has nothing to return: what its answer says once the work is done. */
export function done(detail: string, work: (context: RouteContext) => Promise<unknown>) {
  const handle = async (context: RouteContext) => {
    await work(context);
    return success(detail);
  };
  return { response: StatusAnswer, handle };
}

/** The answer of operations that have nothing to return. */
export function success(detail: string): StatusAnswer {
  return { status: 'success', detail };
}

/** The query as received, without its `?`: the framework's own reading is switched off. */
export function searchOf(request: IncomingRequest): string {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** An answer that is made while it is sent, others having turns between its pieces. */
export function streamOf(pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Readable {
  return Readable.from(givingWay(pieces), { objectMode: false });
}

/** For answers that take a while: the signal aborts when the client has closed its connection. */
export async function whileConnected<T>(
  { raw: { socket } }: IncomingRequest,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  socket.once('close', hangUp);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', hangUp);
  }
}
