// The part of an App that acts on access points: commands to one or many, moves of devices, and where callers were in each
// other's way.
import type { BatchAnswer, CommandAccepted, CommandPreview, Conflict, SteerResult } from '@weft/contract';
import { toCommandText } from '@weft/contract/declared-commands';
import type { Query } from '../http-client.ts';
import { WeftRefusal } from '../weft-refusal.ts';
import {
  type ArgumentsFor,
  type BatchOptions,
  type CommandName,
  type CommandOptions,
  type ConflictOptions,
  type ResultOf,
  type SteerOptions,
  toTime,
} from './app-options.ts';
import type { JobConnection } from './job-messages.ts';
import { NetworkReader } from './network-reader.ts';
import type { RestClient } from './rest-client.ts';
import { SentCommand } from './sent-command.ts';
import type { Stream } from './stream.ts';

export class CommandSender extends NetworkReader {
  readonly #connection: JobConnection;
  readonly #rest: RestClient;

  constructor(connection: JobConnection) {
    super(connection);
    this.#connection = connection;
    this.#rest = connection.rest;
  }

  /**
   * Sends a command to an access point. Resolves when Weft has taken it, with the verdict; `result()` tells the result of
   * it. Throws CommandConflict if somebody else holds what it would change. A request that got no answer is repeated: it
   * carries a key by which Weft knows it again. The compiler knows the usual commands; for those of agents that you write:
   * `app.command<string>('ap-1', 'blink', { times: 3 })`.
   *
   * ```ts
   * const command = await app.command('ap-1', 'set_tx_power', { dbm: 17 }, { holdSeconds: 60, expiresIn: 30 });
   * console.log(command.verdict, (await command.result()).state);
   *
   * const preview = await app.command('ap-1', 'set_tx_power', { dbm: 17 }, { dryRun: true });
   * console.log(preview.verdict, preview.detail);
   * ```
   */
  command<Name extends string>(
    ap_id: string,
    name: Name & CommandName<Name>,
    args: ArgumentsFor<Name> | undefined,
    options: CommandOptions & { dryRun: true },
  ): Promise<CommandPreview>;
  command<Name extends string>(
    ap_id: string,
    name: Name & CommandName<Name>,
    args?: ArgumentsFor<Name>,
    options?: CommandOptions & { dryRun?: false | undefined },
  ): Promise<SentCommand<ResultOf<Name>>>;
  command<Name extends string>(
    ap_id: string,
    name: Name & CommandName<Name>,
    args?: ArgumentsFor<Name>,
    options?: CommandOptions,
  ): Promise<SentCommand<ResultOf<Name>> | CommandPreview>;
  command(ap_id: string, name: string, args?: object, options?: CommandOptions): Promise<SentCommand | CommandPreview> {
    return this.#send(ap_id, name, { ...args }, options);
  }

  async #send<Result>(
    ap_id: string,
    name: string,
    args: Record<string, unknown>,
    { holdSeconds, expiresIn, guard, dryRun, idempotencyKey = randomKey(), signal }: CommandOptions = {},
  ): Promise<SentCommand<Result> | CommandPreview> {
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
    return 'dry_run' in answer ? answer : new SentCommand(this.#connection, answer, args);
  }

  /**
   * Moves a device to another access point, by a command to the one that serves it. `result()` tells what the network saw, as
   * `result.outcome`: `moved` (the only `succeeded`), `refused`, `unreachable` or `ignored`. Throws CommandConflict if somebody
   * else wants it elsewhere, and WeftRefusal if the device is unknown or not attached. With a `guard` that is broken the target
   * sends it back; refused if you may not command the target.
   *
   * ```ts
   * const [phone] = await app.devices({ selector: 'name:ap-1' }).toArray();
   * if (!phone) throw new Error('there is no device');
   * const steering = await app.steer(phone.device, 'ap-1', { timeoutSeconds: 5 });
   * const { state, result } = await steering.result();
   * console.log(steering.verdict, state, JSON.stringify(result));
   * ```
   */
  steer(device: string, target: string, options: SteerOptions & { dryRun: true }): Promise<CommandPreview>;
  steer(
    device: string,
    target: string,
    options?: SteerOptions & { dryRun?: false | undefined },
  ): Promise<SentCommand<SteerResult>>;
  steer(device: string, target: string, options?: SteerOptions): Promise<SentCommand<SteerResult> | CommandPreview>;
  async steer(
    device: string,
    target: string,
    { from, timeoutSeconds, force, ...options }: SteerOptions = {},
  ): Promise<SentCommand<SteerResult> | CommandPreview> {
    const args = {
      device,
      target,
      ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
      ...(force !== undefined && { force }),
    };
    const serving = from ?? (await this.#servingOf(device, target, options.signal));
    return this.#send<SteerResult>(serving, 'steer_device', args, options);
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
  batch<Name extends string>(
    agents: string | readonly string[],
    name: Name & CommandName<Name>,
    args?: ArgumentsFor<Name>,
    { holdSeconds, expiresIn, dryRun, stages, signal }: BatchOptions = {},
  ): Promise<BatchAnswer> {
    const json = {
      agents,
      command: toCommandText(name, { ...args }),
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
    return this.#rest.stream((ended) => this.#conflicts(query, ended), signal);
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

/** Also where browsers have no randomUUID: on pages that came over plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
