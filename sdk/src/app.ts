// A program that reads the network and acts on it: what Weft offers to third-party apps and users, as functions, promises
// and async iterators. Runs in Node and in browsers.
/// <reference lib="esnext.disposable" preserve="true" />
import type { EmulatorAccepted, EmulatorRunWithAgents } from '@weft/contract';
import type {
  Abortable,
  Answered,
  AppOptions,
  Asking,
  EmulationRequest,
  RequestOptions,
} from './core/app/app-options.ts';
import type { JobConnection } from './core/app/job-messages.ts';
import { RestClient, type RestRequest } from './core/app/rest-client.ts';
import { requireAppOptions } from './core/missing-options.ts';
import { WeftRefusal } from './core/weft-refusal.ts';
import { EmulatedNetwork } from './lab/emulated-network.ts';
import { Operator } from './operations/operator.ts';

/**
 * Logs in when it first has to, and again before its token ends. Requests are repeated while Weft is busy (429, 503, as
 * `Retry-After` says), within bounds; after a lost connection only those that may arrive twice. Throws WeftRefusal
 * when Weft says no, WeftUnreachable when nothing answers.
 *
 * ```ts
 * const app = new App({ url, name: 'saver', key });
 * for (const { ap_id, configuration } of await app.agents()) console.log(ap_id, configuration.site);
 * ```
 */
export class App extends Operator {
  readonly #connection: JobConnection;
  readonly #rest: RestClient;

  constructor(options: AppOptions) {
    requireAppOptions(options);
    const connection = connect(options);
    super(connection);
    this.#connection = connection;
    this.#rest = connection.rest;
  }

  /**
   * Logs in now rather than with the first request. Resolves the token and when it ends, for those who want to hand it on.
   *
   * ```ts
   * const { token, expiresAt } = await app.logIn();
   * console.log(token.length, expiresAt?.toISOString());
   * ```
   */
  async logIn({ signal }: Abortable = {}): Promise<{ token: string; expiresAt: Date | undefined }> {
    const { tokens } = this.#rest;
    const token = await tokens.token(signal);
    if (token === undefined) throw new WeftRefusal(0, 'no_token', 'there is no token');
    return { token, expiresAt: tokens.expiresAt };
  }

  /**
   * Ends all streams of this App; requests from now on are refused. `await using app = new App(…)` does it at the end of a block.
   *
   * ```ts
   * const short = new App({ url, name: 'saver', key });
   * console.log((await short.agents()).length);
   * await short.close();
   * ```
   */
  async close(): Promise<void> {
    this.#rest.closing.abort(new WeftRefusal(0, 'closed', 'this App was closed'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Ends the token at Weft, with its sockets and streams. With a name and a key or password, the next request logs in
   * again.
   *
   * ```ts
   * await app.logIn();
   * await app.logOut();
   * ```
   */
  async logOut({ signal }: Abortable = {}): Promise<void> {
    const { token } = await this.logIn({ signal });
    await this.#rest.ask({ method: 'DELETE', path: '/api/v1/token/', signal });
    if (this.#rest.tokens.canRenew) this.#rest.tokens.forget(token);
  }

  /**
   * Asks for a network of emulated access points, which are agents like any others.
   *
   * ```ts
   * const network = await app.emulate({
   *   emulators: [
   *     { access_point_type: 'WiFi', num_access_points: 2, locations: ['Bristol'], num_devices: 5, duration: 600 },
   *   ],
   * });
   * console.log(network.agents.map(({ ap_id }) => ap_id));
   * await network.stop();
   * ```
   */
  async emulate(request: EmulationRequest, { signal }: Abortable = {}): Promise<EmulatedNetwork> {
    const path = '/api/v1/emulator/spinup';
    const accepted = await this.#rest.ask<EmulatorAccepted>({ method: 'POST', path, json: request, signal });
    return new EmulatedNetwork(this.#connection, accepted);
  }

  /**
   * An emulated network by its job number, as another process has asked for it.
   *
   * ```ts
   * const { job_number } = await app.emulate({
   *   emulators: [
   *     { access_point_type: 'WiFi', num_access_points: 1, locations: ['Bristol'], num_devices: 2, duration: 600 },
   *   ],
   * });
   * const network = await app.network(job_number);
   * console.log(network.agents.map(({ ap_id }) => ap_id));
   * await network.stop();
   * ```
   */
  async network(job_number: string, { signal }: Abortable = {}): Promise<EmulatedNetwork> {
    const path = `/api/v1/emulator/${encodeURIComponent(job_number)}`;
    const run = await this.#rest.ask<EmulatorRunWithAgents>({ method: 'GET', path, signal });
    const own = new Set(run.agents);
    const found = (await this.agents({ emulated: true, state: 'all', signal })).filter(({ ap_id }) => own.has(ap_id));
    const agents = found.map(({ ap_id, configuration: { access_point_type = '', geolocation } }) => {
      return { ap_id, access_point_type, location: geolocation ?? { latitude: 0, longitude: 0 } };
    });
    return new EmulatedNetwork(this.#connection, { ...run, agents, places: [], demand: [] });
  }

  /**
   * Any other operation of Weft's interface, for which there is no function here; `/docs` lists them. Resolves the JSON of
   * the answer. Repeated as everything else: after a lost connection only what is not a POST. The compiler knows the operations
   * by their paths; for one that it does not know, say what you expect: `app.request<Found>('GET', path)`.
   *
   * ```ts
   * const jobs = await app.request('GET', '/api/v1/jobs', { query: { limit: 5 } });
   * console.log(jobs.length);
   * ```
   */
  request<Method extends RestRequest['method'], Path extends string>(
    method: Method,
    path: Path,
    ...asking: Asking<Method, Path>
  ): Promise<Answered<Method, Path>>;
  request<Answer, Path extends string = string>(
    method: RestRequest['method'],
    path: string extends Path ? Path : never,
    options?: RequestOptions,
  ): Promise<Answer>;
  request(method: RestRequest['method'], path: string, options: RequestOptions = {}): Promise<unknown> {
    return this.#rest.ask({ method, path, ...options });
  }

  /**
   * As `request`, with the answer as it arrives and a single attempt: for downloads, and for those who retry by themselves.
   *
   * ```ts
   * const response = await app.open('GET', '/api/v1/jobs', { query: { limit: 5 } });
   * console.log(((await response.json()) as unknown[]).length);
   * ```
   */
  open(method: RestRequest['method'], path: string, options: RequestOptions = {}): Promise<Response> {
    return this.#rest.open({ method, path, ...options });
  }
}

function connect({ url, patienceMs, backOff, fetch, WebSocket, ...credentials }: AppOptions): JobConnection {
  const request = fetch ?? globalThis.fetch.bind(globalThis);
  const Socket = WebSocket ?? globalThis.WebSocket;
  if (!Socket) throw new Error('there is no WebSocket here: give one as the option WebSocket');
  return { rest: new RestClient({ url, credentials, fetch: request, patienceMs, backOff }), WebSocket: Socket };
}
