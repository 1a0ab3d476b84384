// One WebSocket with what is known of its client: does it still answer, does it take what it is sent, does it talk too
// much. It has no timers of its own; socket-keeper.ts looks after thousands of them with one.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Caller } from '../../caller.ts';
import type { Upgraded } from './socket-route.ts';

/** The reasons of Weft's own for closing; the others are those of the protocol. */
export const closeCodes = {
  notAuthenticated: 4401,
  notPermitted: 4403,
  notFound: 4404,
  tooSlow: 4408,
  restarting: 1012,
  policy: 1008,
  unsupported: 1003,
  replaced: 4409,
} as const;

const maxReasonBytes = 123;

export interface SocketTimes {
  /** Between two looks at every socket. */
  sweepMs: number;
  pingMs: number;
  /** From a ping to the end of a connection on which nothing answers. */
  pongMs: number;
  /** How long a client may take nothing of what is due. */
  stallMs: number;
  /** For the closing handshake of those who are sent away. */
  farewellMs: number;
}

/** What the feature behind a socket hears. */
export interface SocketListener {
  /** A text message; without this method messages are ignored. */
  heard?(text: Buffer): void;
  /** All that was sent is on its way, and there is room for more. */
  drained(): void;
  /** A sweep has found the socket well. */
  swept?(): void;
  closed(): void;
}

const maxEventsPerSecond = 100;
/** What the connection is given at once: it tells when it has taken all of it, and nothing in between. */
const pieceBytes = 64 * 1024;

export interface SocketRules {
  times: SocketTimes;
  /** Any number of messages may come: whoever hears them has a bound of its own. Pings are counted all the same. */
  unlimitedMessages: boolean;
}

export class OpenSocket {
  readonly caller: Caller;
  readonly token: string;
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #times: SocketTimes;
  readonly #unlimitedMessages: boolean;
  readonly #now: () => number;
  #pingAtMs: number;
  #unansweredSinceMs: number | undefined;
  /** Pieces of messages that the connection has not been given yet, oldest first. */
  readonly #waiting: { bytes: Buffer; isLast: boolean }[] = [];
  #waitingBytes = 0;
  #takenAtMs: number;
  #hasTaken = false;
  #countingSinceMs = 0;
  #events = 0;
  #isGathering = false;
  /** Set once it has been sent away. */
  #leavesAtMs: number | undefined;
  #listener: SocketListener | undefined;

  constructor(
    { socket, connection }: Upgraded,
    { caller, token }: { caller: Caller; token: string },
    { times, unlimitedMessages }: SocketRules,
    now: () => number,
  ) {
    this.caller = caller;
    this.token = token;
    this.#socket = socket;
    this.#connection = connection;
    this.#times = times;
    this.#unlimitedMessages = unlimitedMessages;
    this.#now = now;
    this.#takenAtMs = now();
    // Those who come together must not all be pinged together for ever.
    this.#pingAtMs = now() + Math.random() * times.pingMs;
    socket.on('message', (bytes, isBinary) => {
      if (!(this.#unlimitedMessages ? this.isOpen : this.#count())) return;
      if (isBinary) this.dismiss(closeCodes.unsupported, 'text only');
      else this.#listener?.heard?.(bytes as Buffer);
    });
    socket.on('ping', () => this.#count());
    socket.on('pong', () => {
      this.#unansweredSinceMs = undefined;
      this.#count();
    });
    // The library has said why in its closing frame.
    socket.on('error', () => this.dismiss(closeCodes.policy, ''));
    socket.on('close', () => this.#listener?.closed());
  }

  set listener(listener: SocketListener) {
    this.#listener = listener;
  }

  get isOpen(): boolean {
    return this.#leavesAtMs === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount + this.#waitingBytes;
  }

  /** What is larger than a piece leaves in several frames, so that a client that takes it slowly is seen to take it. */
  send(text: string): void {
    if (this.bufferedBytes + text.length <= pieceBytes) {
      this.#socket.send(text, this.#sent);
      return;
    }
    const bytes = Buffer.from(text);
    let start = 0;
    do {
      const end = start + pieceBytes;
      this.#waiting.push({ bytes: bytes.subarray(start, end), isLast: end >= bytes.length });
      start = end;
    } while (start < bytes.length);
    this.#waitingBytes += bytes.length;
    this.#sendWaiting(pieceBytes);
  }

  /** Everything that is sent before the next turn of the event loop leaves in one piece. */
  gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#connection.cork();
    setImmediate(() => {
      this.#isGathering = false;
      this.#connection.uncork();
    });
  }

  /** Takes nothing more from the client until told; what has been read already still comes. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#socket.isPaused) return;
    // It could not be heard meanwhile.
    this.#unansweredSinceMs = undefined;
    this.#socket.resume();
  }

  /** The normal end: the client has as long as the library gives it. */
  close(code: number, reason: string): void {
    // What was sent before the end arrives before it.
    this.#sendWaiting(Number.POSITIVE_INFINITY);
    this.#socket.close(code, cutReason(reason));
  }

  /** Closes, and does not wait long for the client to agree. */
  dismiss(code: number, reason: string): void {
    this.#leavesAtMs ??= this.#now() + this.#times.farewellMs;
    // Its farewell is to be heard.
    this.resume();
    this.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** What a look at the socket has found; `slow` and `silent` ones have been closed. */
  sweep(): 'well' | 'slow' | 'silent' | 'leaving' {
    const now = this.#now();
    if (!this.isOpen) {
      if (this.#leavesAtMs !== undefined && now >= this.#leavesAtMs) this.terminate();
      return 'leaving';
    }
    const hasTaken = this.#hasTaken;
    this.#hasTaken = false;
    if (this.bufferedBytes > 0) {
      // Whoever takes something is alive, even if a pong has to queue behind it.
      if (hasTaken) this.#unansweredSinceMs = undefined;
      else if (now - this.#takenAtMs >= this.#times.stallMs) {
        this.dismiss(closeCodes.tooSlow, 'too slow');
        return 'slow';
      }
      return 'well';
    }
    this.#takenAtMs = now;
    const isSilent = this.#unansweredSinceMs !== undefined && !this.#socket.isPaused;
    if (isSilent && now - this.#unansweredSinceMs! >= this.#times.pongMs) {
      this.terminate();
      return 'silent';
    }
    if (now >= this.#pingAtMs) {
      this.#pingAtMs = now + this.#times.pingMs;
      this.#unansweredSinceMs ??= now;
      this.#socket.ping();
    }
    this.#listener?.swept?.();
    return 'well';
  }

  readonly #sent = (error?: Error | null): void => {
    if (error || !this.isOpen) return;
    this.#takenAtMs = this.#now();
    this.#hasTaken = true;
    this.#sendWaiting(pieceBytes);
    if (this.bufferedBytes === 0) this.#listener?.drained();
  };

  /** Gives the connection what waits, up to so many bytes that it has not taken, but always the next piece. */
  #sendWaiting(maxBytes: number): void {
    for (let piece = this.#waiting[0]; piece; piece = this.#waiting[0]) {
      const { bufferedAmount } = this.#socket;
      if (bufferedAmount > 0 && bufferedAmount + piece.bytes.length > maxBytes) return;
      this.#waiting.shift();
      this.#waitingBytes -= piece.bytes.length;
      this.gather();
      this.#socket.send(piece.bytes, { binary: false, fin: piece.isLast }, this.#sent);
    }
  }

  /** False once the client has sent more than is reasonable, or is no longer listened to. */
  #count(): boolean {
    if (!this.isOpen) return false;
    const now = this.#now();
    if (now - this.#countingSinceMs >= 1000) {
      this.#countingSinceMs = now;
      this.#events = 0;
    }
    this.#events++;
    if (this.#events <= maxEventsPerSecond) return true;
    this.dismiss(closeCodes.policy, 'too many messages');
    return false;
  }
}

/** As much of it as a closing frame can carry, in whole characters. */
function cutReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= maxReasonBytes) return reason;
  let end = maxReasonBytes;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
