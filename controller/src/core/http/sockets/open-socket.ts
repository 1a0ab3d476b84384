// One WebSocket with what is known of its client: does it answer, does it take what it is sent, does it send too much. It
// has no timers of its own; socket-registry.ts sweeps thousands of them with one.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Caller } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import type { Upgraded } from './socket-route.ts';

/** The close codes of Weft's own, and those of the protocol that it uses. */
export const closeCodes = {
  notAuthenticated: 4401,
  notPermitted: 4403,
  notFound: 4404,
  tooSlow: 4408,
  restarting: 1012,
  tryElsewhere: 1013,
  policy: 1008,
  unsupported: 1003,
  replaced: 4409,
} as const;

const maxReasonBytes = 123;

export interface SocketTimes {
  /** Between two sweeps over all sockets. */
  sweepMs: number;
  pingMs: number;
  /** From a ping to the end of a connection on which nothing answers. */
  pongMs: number;
  /** How long a client may take nothing of what is due. */
  stallMs: number;
  /** For the closing handshake of a forced close. */
  closeTimeoutMs: number;
}

/** The events of a socket, for the feature behind it. */
export interface SocketListener {
  /** A text message; without this method messages are ignored. */
  onMessage?(text: Buffer): void;
  /** Everything that was sent has left, and more can be sent. */
  onDrain(): void;
  /** The answer to a `ping`: everything that was sent before has arrived. */
  onPong?(text: string): void;
  /** A sweep has found nothing wrong with the socket. */
  onSweep?(): void;
  onClose(): void;
}

const maxEventsPerSecond = 100;
/** What the connection is given at once: it tells when it has taken all of it, and nothing in between. */
const pieceBytes = 64 * 1024;

export interface SocketRules {
  times: SocketTimes;
  /** Any number of messages may come: the listener has a limit of its own. Pings are counted all the same. */
  unlimitedMessages: boolean;
}

export class OpenSocket {
  readonly caller: Caller;
  readonly shown: Shown;
  /** Ends the connection at once: something unexpected was thrown on it. */
  readonly fail: Upgraded['onFault'];
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
  /** Frames that leave with the end of this turn, one character a byte. */
  #frames = '';
  /** Set by a forced close. */
  #closeDeadlineMs: number | undefined;
  #listener: SocketListener | undefined;

  constructor(
    upgraded: Upgraded,
    { caller, shown }: { caller: Caller; shown: Shown },
    { times, unlimitedMessages }: SocketRules,
    now: () => number,
  ) {
    const { socket, connection, onFault } = upgraded;
    this.caller = caller;
    this.shown = shown;
    this.#socket = socket;
    this.#connection = connection;
    this.fail = onFault;
    this.#times = times;
    this.#unlimitedMessages = unlimitedMessages;
    this.#now = now;
    this.#takenAtMs = now();
    // Clients that connect together must not be pinged together for ever.
    this.#pingAtMs = now() + Math.random() * times.pingMs;
    socket.on('message', (bytes, isBinary) => this.#guard(() => this.#hear(bytes as Buffer, isBinary)));
    socket.on('ping', () => this.#count());
    socket.on('pong', (text) => {
      this.#unansweredSinceMs = undefined;
      this.#guard(() => this.#count() && this.#listener?.onPong?.(String(text)));
    });
    // The library has said why in its closing frame.
    socket.on('error', () => this.forceClose(closeCodes.policy, ''));
    socket.on('close', () => this.#guard(() => this.#listener?.onClose()));
  }

  set listener(listener: SocketListener) {
    this.#listener = listener;
  }

  get isOpen(): boolean {
    return this.#closeDeadlineMs === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount + this.#frames.length + this.#waitingBytes;
  }

  /** What is larger than a piece leaves in several frames, so that a client that takes it slowly is seen to take it. */
  send(text: string): void {
    this.#flush();
    // Never past what waits: that may be the end of a message whose beginning has left.
    if (this.#waiting.length === 0 && this.#socket.bufferedAmount + text.length <= pieceBytes) {
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

  /** The client answers with the same text. Only while nothing waits: it would pass that. */
  ping(text: string): void {
    if (!this.isOpen || this.bufferedBytes > 0) return;
    this.#unansweredSinceMs ??= this.#now();
    this.#socket.ping(text);
  }

  /** As `send`; everything that is sent so before the next turn of the event loop leaves in one piece. */
  sendSoon(text: string): void {
    const frame = text.length < pieceBytes && this.#waiting.length === 0 ? toTextFrame(text) : undefined;
    if (frame === undefined || this.bufferedBytes + frame.length > pieceBytes) {
      this.send(text);
      return;
    }
    if (this.#frames === '') setImmediate(this.#flush);
    this.#frames += frame;
  }

  /** Reads nothing more from the client until `resume`; what has been read already still comes. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#socket.isPaused) return;
    // Its pong could not be read meanwhile.
    this.#unansweredSinceMs = undefined;
    this.#socket.resume();
  }

  /** The normal end: the client has as long for the closing handshake as the library gives it. */
  close(code: number, reason: string): void {
    // What was sent before the end arrives before it.
    this.#flush();
    this.#sendWaiting(Number.POSITIVE_INFINITY);
    this.#socket.close(code, cutReason(reason));
  }

  /** Closes, and waits no longer than `closeTimeoutMs` for the client. */
  forceClose(code: number, reason: string): void {
    this.#closeDeadlineMs ??= this.#now() + this.#times.closeTimeoutMs;
    // Its part of the closing handshake must be read.
    this.resume();
    this.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Returns the state of the socket; a `slow` or `silent` one has been closed. */
  sweep(): 'ok' | 'slow' | 'silent' | 'closing' {
    const now = this.#now();
    if (!this.isOpen) {
      if (this.#closeDeadlineMs !== undefined && now >= this.#closeDeadlineMs) this.terminate();
      return 'closing';
    }
    const hasTaken = this.#hasTaken;
    this.#hasTaken = false;
    if (this.bufferedBytes > 0) {
      // Whoever takes something is alive, even if a pong has to queue behind it.
      if (hasTaken) this.#unansweredSinceMs = undefined;
      else if (now - this.#takenAtMs >= this.#times.stallMs) {
        this.forceClose(closeCodes.tooSlow, 'too slow');
        return 'slow';
      }
      return 'ok';
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
    this.#guard(() => this.#listener?.onSweep?.());
    return 'ok';
  }

  readonly #flush = (): void => {
    if (this.#frames === '') return;
    const frames = this.#frames;
    this.#frames = '';
    if (this.#socket.readyState === this.#socket.OPEN) this.#connection.write(frames, 'latin1', this.#sent);
  };

  readonly #sent = (error?: Error | null): void => {
    if (error || !this.isOpen) return;
    this.#takenAtMs = this.#now();
    this.#hasTaken = true;
    this.#sendWaiting(pieceBytes);
    if (this.bufferedBytes === 0) this.#guard(() => this.#listener?.onDrain());
  };

  /** Gives the connection what waits, up to so many bytes that it has not taken, but always the next piece. */
  #sendWaiting(maxBytes: number): void {
    for (let piece = this.#waiting[0]; piece; piece = this.#waiting[0]) {
      const { bufferedAmount } = this.#socket;
      if (bufferedAmount > 0 && bufferedAmount + piece.bytes.length > maxBytes) return;
      this.#waiting.shift();
      this.#waitingBytes -= piece.bytes.length;
      this.#socket.send(piece.bytes, { binary: false, fin: piece.isLast }, this.#sent);
    }
  }

  #hear(bytes: Buffer, isBinary: boolean): void {
    if (!(this.#unlimitedMessages ? this.isOpen : this.#count())) return;
    if (isBinary) this.forceClose(closeCodes.unsupported, 'text only');
    else this.#listener?.onMessage?.(bytes);
  }

  /** What a listener throws ends this connection, and nothing else. */
  #guard(tell: () => unknown): void {
    try {
      tell();
    } catch (error) {
      this.fail(error);
    }
  }

  /** False once the client has sent more than is allowed, or the socket is closing. */
  #count(): boolean {
    if (!this.isOpen) return false;
    const now = this.#now();
    if (now - this.#countingSinceMs >= 1000) {
      this.#countingSinceMs = now;
      this.#events = 0;
    }
    this.#events++;
    if (this.#events <= maxEventsPerSecond) return true;
    this.forceClose(closeCodes.policy, 'too many messages');
    return false;
  }
}

/** As much of the reason as a closing frame can carry, in whole characters. */
function cutReason(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= maxReasonBytes) return reason;
  let end = maxReasonBytes;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** The frame of a text of less than 64 KiB, one character a byte (`latin1`). */
function toTextFrame(text: string): string {
  const length = Buffer.byteLength(text);
  const body = length === text.length ? text : Buffer.from(text).toString('latin1');
  const size = length < 126 ? String.fromCharCode(length) : String.fromCharCode(126, length >> 8, length & 0xff);
  return `\x81${size}${body}`;
}
