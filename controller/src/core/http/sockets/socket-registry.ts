// The open WebSockets of a feature: limits them per caller, pings them, and closes those whose client is slow, gone, or no
// longer allowed. One timer serves all of them.
import type { Caller } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import { PermissionError, TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import { principalOf } from '../../base/shares/shares.ts';
import { closeCodes, OpenSocket, type SocketRules, type SocketTimes } from './open-socket.ts';
import type { Upgraded } from './socket-route.ts';

const defaultTimes: SocketTimes = {
  sweepMs: 1_000,
  pingMs: 15_000,
  // With a ping interval and a sweep before it, at most 45 s until a vanished client is removed.
  pongMs: 28_000,
  stallMs: 10_000,
  closeTimeoutMs: 2_000,
};
/** How many callers are looked up at once where that takes a query. */
const lookupsAtOnce = 32;

export interface SocketRegistryOptions {
  /** The caller as its record is now; throws if it may not have the socket any more. */
  authorize: (shown: Shown) => Caller | Promise<Caller>;
  maxPerCaller: number;
  /** While it is true, all are closed: another node can serve them. */
  isCutOff?: (() => boolean) | undefined;
  /** See SocketRules. Default: false. */
  unlimitedMessages?: boolean;
  times?: Partial<SocketTimes> | undefined;
}

export class SocketRegistry {
  readonly #options: SocketRegistryOptions;
  readonly #times: SocketTimes;
  readonly #rules: SocketRules;
  readonly #sockets = new Set<OpenSocket>();
  readonly #byShown = new Map<Shown, Set<OpenSocket>>();
  readonly #perCaller = new Map<string, number>();
  /** Two, because a look at callers may wait for the database, and slow clients do not. */
  readonly #sweeping: readonly PeriodicTask[];
  #onEmpty: (() => void) | undefined;
  #isStopped = false;
  /** Sockets that were closed because their clients took nothing. */
  cutOff = 0;

  constructor(options: SocketRegistryOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#rules = { times: this.#times, unlimitedMessages: options.unlimitedMessages ?? false };
    const everyMs = this.#times.sweepMs;
    this.#sweeping = [
      new PeriodicTask({ everyMs, what: 'the look at sockets', run: () => this.#sweep() }),
      new PeriodicTask({ everyMs, what: 'the look at the callers of sockets', run: () => this.#authorizeAll() }),
    ];
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Throws TryLaterError if the caller may not have one more socket now. */
  requireCapacity(caller: Caller): void {
    if (this.#isStopped) throw new TryLaterError(503, 'stopping', 'Weft is stopping', 2);
    const { maxPerCaller } = this.#options;
    if ((this.#perCaller.get(principalOf(caller)) ?? 0) < maxPerCaller) return;
    throw new TryLaterError(429, 'too_many_sockets', `At most ${maxPerCaller} sockets may be open`, 10);
  }

  /** Holds a socket until it is closed. */
  add(upgraded: Upgraded, client: { caller: Caller; shown: Shown }): OpenSocket {
    const socket = new OpenSocket(upgraded, client, this.#rules, () => performance.now());
    this.#sockets.add(socket);
    const alike = this.#byShown.get(client.shown);
    if (alike) alike.add(socket);
    else this.#byShown.set(client.shown, new Set([socket]));
    const key = principalOf(client.caller);
    this.#perCaller.set(key, (this.#perCaller.get(key) ?? 0) + 1);
    upgraded.socket.on('close', () => this.#remove(socket));
    for (const task of this.#sweeping) task.start();
    return socket;
  }

  /** Closes all of them, and waits no longer for their clients than the time for the closing handshake. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#sockets.size > 0) await this.#closeAll();
    await Promise.all(this.#sweeping.map((task) => task.stop()));
  }

  async #closeAll(): Promise<void> {
    const empty = Promise.withResolvers<void>();
    this.#onEmpty = empty.resolve;
    for (const socket of this.#sockets) socket.forceClose(closeCodes.restarting, 'restarting');
    const deadline = setTimeout(() => {
      for (const socket of this.#sockets) socket.terminate();
    }, this.#times.closeTimeoutMs);
    await empty.promise;
    clearTimeout(deadline);
  }

  #remove(socket: OpenSocket): void {
    if (!this.#sockets.delete(socket)) return;
    const alike = this.#byShown.get(socket.shown);
    alike?.delete(socket);
    if (alike?.size === 0) this.#byShown.delete(socket.shown);
    const key = principalOf(socket.caller);
    const left = this.#perCaller.get(key)! - 1;
    if (left > 0) this.#perCaller.set(key, left);
    else this.#perCaller.delete(key);
    if (this.#sockets.size === 0) this.#onEmpty?.();
  }

  #sweep(): void {
    if (this.#options.isCutOff?.()) {
      for (const socket of this.#sockets) socket.forceClose(closeCodes.tryElsewhere, 'this node is cut off');
      return;
    }
    for (const socket of this.#sockets) if (socket.sweep() === 'slow') this.cutOff++;
  }

  /** One lookup for what was shown, however many sockets it has opened. */
  async #authorizeAll(): Promise<void> {
    if (this.#options.isCutOff?.()) return;
    let underWay: Promise<void>[] = [];
    for (const shown of [...this.#byShown.keys()]) {
      const lookup = this.#authorize(shown);
      if (!lookup) continue;
      underWay.push(lookup);
      if (underWay.length < lookupsAtOnce) continue;
      await Promise.all(underWay);
      underWay = [];
    }
    await Promise.all(underWay);
  }

  #authorize(shown: Shown): Promise<void> | undefined {
    try {
      const caller = this.#options.authorize(shown);
      return caller instanceof Promise ? caller.then(ignore, (error) => this.#forceCloseAll(shown, error)) : undefined;
    } catch (error) {
      this.#forceCloseAll(shown, error);
      return undefined;
    }
  }

  #forceCloseAll(shown: Shown, error: unknown): void {
    // While the accounts cannot be read nobody can tell; whoever was allowed a second ago goes on.
    if (error instanceof TryLaterError) return;
    const code = error instanceof PermissionError ? closeCodes.notPermitted : closeCodes.notAuthenticated;
    for (const socket of this.#byShown.get(shown) ?? []) socket.forceClose(code, 'the token is no longer good');
  }
}

function ignore(): void {}
