// A program that reads the network and acts on it: what Weft offers to third-party apps and users, as functions, promises
// and async iterators. Runs in Node and in browsers.
import type { BatchAnswer, CommandAccepted, CommandPreview, Conflict, EmulatorAccepted } from '@weft/contract';
import { toCommandText } from '@weft/contract/declared-commands';
import type { Query } from '../http-client.ts';
import { requireAppOptions } from '../missing-options.ts';
import { WeftRefusal } from '../weft-refusal.ts';
import {
  type Abortable,
  type AppOptions,
  type BatchOptions,
  type CommandOptions,
  type ConflictOptions,
  type EmulationRequest,
  type RequestOptions,
  type SteerOptions,
  toTime,
} from './app-options.ts';
import { EmulatedNetwork } from './emulated-network.ts';
import type { JobConnection } from './job-messages.ts';
import { NetworkReader } from './network-reader.ts';
import { RestClient, type RestRequest } from './rest-client.ts';
import { SentCommand } from './sent-command.ts';
import { Stream } from './stream.ts';

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
export class App extends NetworkReader {
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
   * Sends a command to an access point. Resolves when Weft has taken it, with the verdict; `result()` tells the result of
   * it. Throws CommandConflict if somebody else holds what it would change. A request that got no answer is repeated: it
   * carries a key by which Weft knows it again.
   *
   * ```ts
   * const command = await app.command('ap-1', 'set_tx_power', { dbm: 17 }, { holdSeconds: 60, expiresIn: 30 });
   * console.log(command.verdict, (await command.result()).state);
   *
   * const preview = await app.command('ap-1', 'set_tx_power', { dbm: 17 }, { dryRun: true });
   * console.log(preview.verdict, preview.detail);
   * ```
   */
  command(
    ap_id: string,
    name: string,
    args: Record<string, unknown> | undefined,
    options: CommandOptions & { dryRun: true },
  ): Promise<CommandPreview>;
  command(ap_id: string, name: string, args?: Record<string, unknown>, options?: CommandOptions): Promise<SentCommand>;
  async command(
    ap_id: string,
    name: string,
    args: Record<string, unknown> = {},
    { holdSeconds, expiresIn, guard, dryRun, idempotencyKey = randomKey(), signal }: CommandOptions = {},
  ): Promise<SentCommand | CommandPreview> {
    const answer = await this.#rest.ask<CommandAccepted | CommandPreview>({
      method: 'POST',
      path: '/api/v1/send_command',
      isRepeatable: true,
      signal,
      query: {
        agent_id: ap_id,
        command: toCommandText(name, args),
        hold_seconds: holdSeconds,
        expires_in: expiresIn,
        guard,
        dry_run: dryRun,
        idempotency_key: dryRun ? undefined : idempotencyKey,
      },
    });
    return 'dry_run' in answer ? answer : new SentCommand(this.#connection, answer);
  }

  /**
   * Moves a device to another access point, by a command to the one that serves it. `result()` tells what the network saw, as
   * `result.outcome`: `moved` (the only `succeeded`), `refused`, `unreachable` or `ignored`. Throws CommandConflict if somebody
   * else wants it elsewhere, and WeftRefusal if the device is unknown or attached nowhere.
   *
   * ```ts
   * const [phone] = await app.devices({ selector: 'name:ap-1' }).toArray();
   * const steering = await app.steer(phone.device, 'ap-1', { timeoutSeconds: 5 });
   * const { state, result } = await steering.result();
   * console.log(steering.verdict, state, JSON.stringify(result));
   * ```
   */
  async steer(
    device: string,
    target: string,
    { from, timeoutSeconds, force, ...options }: SteerOptions = {},
  ): Promise<SentCommand> {
    const args = {
      device,
      target,
      ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
      ...(force !== undefined && { force }),
    };
    const serving = from ?? (await this.#servingOf(device, target, options.signal));
    return this.command(serving, 'steer_device', args, options);
  }

  /** The strongest of its links that is not the target already. */
  async #servingOf(device: string, target: string, signal: AbortSignal | undefined): Promise<string> {
    const { links } = await this.device(device, { signal });
    const serving = links.find(({ ap_id }) => ap_id !== target) ?? links[0];
    if (serving) return serving.ap_id;
    const detail = `${device} is attached to no access point`;
    throw new WeftRefusal(0, 'device_not_attached', detail);
  }

  /**
   * Sends a command to many access points, given by name or by one pattern (`*`, `?`), at once or in stages. Each gets a
   * verdict of its own. Not repeated if there is no answer: look at `GET /api/v1/commands` then.
   *
   * ```ts
   * const { totals, targets } = await app.batch('ap-*', 'set_tx_power', { dbm: 14 }, { holdSeconds: 0 });
   * console.log(totals.accepted, targets.map(({ ap_id, verdict }) => `${ap_id}: ${verdict}`));
   * ```
   */
  batch(
    agents: string | readonly string[],
    name: string,
    args: Record<string, unknown> = {},
    { holdSeconds, expiresIn, dryRun, stages, signal }: BatchOptions = {},
  ): Promise<BatchAnswer> {
    const json = {
      agents,
      command: toCommandText(name, args),
      ...(holdSeconds !== undefined && { hold_seconds: holdSeconds }),
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
      ...(dryRun && { dry_run: true }),
      ...(stages && { stages }),
    };
    const path = '/api/v1/commands/batch';
    return this.#rest.ask({ method: 'POST', path, json, isRepeatable: dryRun === true, signal });
  }

  /**
   * Where callers were in each other's way, newest first; an app sees what concerns it.
   *
   * ```ts
   * for await (const { ts, ap_id, detail } of app.conflicts({ agent: 'ap-1' })) console.log(ts, ap_id, detail);
   * ```
   */
  conflicts({ agent, reason, since, until, signal }: ConflictOptions = {}): Stream<Conflict> {
    const query = { agent, reason, since: since && toTime(since), until: until && toTime(until) };
    return new Stream((ended) => this.#conflicts(query, ended), signal);
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
   * Any other operation of Weft's interface, for which there is no function here; `/docs` lists them. Resolves the JSON of
   * the answer. Repeated as everything else: after a lost connection only what is not a POST.
   *
   * ```ts
   * const jobs = await app.request('GET', '/api/v1/jobs', { query: { limit: 5 } });
   * console.log(jobs.length);
   * ```
   */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what it asks for
  request<Answer = any>(method: RestRequest['method'], path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#rest.ask({ method, path, ...options });
  }

  /**
   * As `request`, with the answer as it arrives and a single attempt: for downloads, and for those who retry by themselves.
   *
   * ```ts
   * const response = await app.open('GET', '/api/v1/jobs', { query: { limit: 5 } });
   * console.log((await response.json()).length);
   * ```
   */
  open(method: RestRequest['method'], path: string, options: RequestOptions = {}): Promise<Response> {
    return this.#rest.open({ method, path, ...options });
  }

  async *#conflicts(query: Query, signal: AbortSignal): AsyncGenerator<Conflict, void> {
    let before: number | undefined;
    do {
      const page = await this.#rest.ask<{ conflicts: Conflict[]; next_before: number | null }>({
        method: 'GET',
        path: '/api/v1/conflicts',
        query: { ...query, before, limit: 200 },
        signal,
      });
      yield* page.conflicts;
      before = page.next_before ?? undefined;
    } while (before !== undefined);
  }
}

function connect({ url, patienceMs, backOff, fetch, WebSocket, ...credentials }: AppOptions): JobConnection {
  const request = fetch ?? globalThis.fetch.bind(globalThis);
  const Socket = WebSocket ?? globalThis.WebSocket;
  if (!Socket) throw new Error('there is no WebSocket here: give one as the option WebSocket');
  return { rest: new RestClient({ url, credentials, fetch: request, patienceMs, backOff }), WebSocket: Socket };
}

/** Also where browsers have no randomUUID: on pages that came over plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
