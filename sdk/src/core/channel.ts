// The WebSocket of an agent, held open: opened again after every break with growing pauses, and with a new token before the
// old one ends, so that there is no gap.
import { ChannelDownMessage } from '@weft/contract/agent-channel';
import type { BackOff } from '@weft/contract/back-off';
import { isObject } from '@weft/contract/is-object';
import { hasShape } from '@weft/contract/schema-check';
import { WebSocket } from 'ws';
import { trustOf } from './kept-connections.ts';
import type { Session } from './session.ts';
import { isReplaced, retryAfterMs, toRefusal, WeftRefusal } from './weft-refusal.ts';

/** Weft pings more often than this; a connection that is silent for longer is dead. */
const silenceMs = 45_000;
const handshakeMs = 10_000;
/** A connection that lasts this long was a good one. */
const goodAfterMs = 5_000;
/** How often to look for answers that are overdue. */
const checksPerTimeout = 4;
const maxRefusalBytes = 64 * 1024;
const closeCodes = { notAuthenticated: 4401, replaced: 4409 };

export interface ChannelOptions {
  session: Session;
  backOff: BackOff;
  /** How long Weft may take to answer. Then the channel is opened again, and what has no answer is said again. */
  answerTimeoutMs: number;
  /** Since when an answer is missing, given when Weft answered last; Infinity if none is. */
  missingSinceMs: (heardAtMs: number) => number;
  onMessage: (message: ChannelDownMessage) => void;
  /** A connection is open, perhaps in place of another: messages without an answer must be sent again. */
  onOpen: () => void;
  onClosed: (code: number, reason: string) => void;
  /** It did not work and is tried again. */
  onError: (error: Error) => void;
}

export class Channel {
  readonly #options: ChannelOptions;
  #socket: WebSocket | undefined;
  readonly #sockets = new Set<WebSocket>();
  #retry: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #isConnecting = false;
  /** When Weft answered last, on the machine's own clock. */
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Bytes that the connection has not taken yet. */
  get bufferedBytes(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Resolves once it is open for the first time; throws WeftRefusal if Weft does not want this agent. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** False if it is not open. */
  send(text: string): boolean {
    if (!this.isOpen) return false;
    this.#socket!.send(text, ignore);
    return true;
  }

  /** Opens another connection, in place of the present one. */
  renew(): void {
    clearTimeout(this.#renewal);
    void this.#renew();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#renewal);
    for (const socket of this.#sockets) {
      if (socket.readyState === WebSocket.OPEN) socket.close(1000);
      else socket.terminate();
    }
  }

  async #connect(): Promise<void> {
    const { session, backOff } = this.#options;
    this.#isConnecting = true;
    try {
      const socket = await session.withToken((token) => this.#open(token));
      if (this.#isStopped) socket.close(1000);
      const before = this.#socket;
      this.#socket = socket;
      const good = setTimeout(() => backOff.reset(), goodAfterMs);
      const watch = setInterval(() => this.#requireAnswers(socket), this.#options.answerTimeoutMs / checksPerTimeout);
      socket.on('close', () => {
        clearTimeout(good);
        clearInterval(watch);
      });
      this.#renewal = setTimeout(() => void this.#renew(), session.renewInMs);
      // Weft closes the older of two; should it not, we do.
      before?.close(1000);
      this.#options.onOpen();
    } finally {
      this.#isConnecting = false;
    }
  }

  /** An answer may be lost while everything else is well: only a new connection makes sure that nothing is. */
  #requireAnswers(socket: WebSocket): void {
    const { answerTimeoutMs, missingSinceMs, onError } = this.#options;
    // What has not left this machine cannot have an answer.
    const mayBeAnswered = socket === this.#socket && socket.bufferedAmount === 0;
    if (!mayBeAnswered || performance.now() - missingSinceMs(this.#heardAtMs) < answerTimeoutMs) return;
    onError(new Error(`Weft has not answered for ${answerTimeoutMs} ms; the channel is opened again`));
    socket.terminate();
  }

  /** The next connection stands before the present one is given up. */
  async #renew(): Promise<void> {
    if (this.#isStopped || this.#isConnecting || this.#retry !== undefined) return;
    try {
      await this.#connect();
    } catch (error) {
      this.#again(error as Error);
    }
  }

  #open(token: string): Promise<WebSocket> {
    const { session, onMessage, onError } = this.#options;
    const socket = new WebSocket(session.channelUrl, {
      ...trustOf(session.trustedCertificate),
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
      maxPayload: 1024 * 1024,
    });
    this.#sockets.add(socket);
    let dead: NodeJS.Timeout | undefined;
    const alive = () => {
      clearTimeout(dead);
      dead = setTimeout(() => socket.terminate(), silenceMs);
    };
    return new Promise((resolve, reject) => {
      socket.on('unexpected-response', (_request, response) => {
        void readText(response).then((text) => {
          if (response.statusCode === 401) session.forgetToken(token);
          reject(toRefusal(response.statusCode ?? 0, text, response.headers['retry-after']));
          socket.terminate();
        });
      });
      socket.on('error', reject);
      socket.on('open', () => {
        alive();
        resolve(socket);
      });
      socket.on('ping', alive);
      socket.on('message', (bytes) => {
        alive();
        const message = parse(String(bytes));
        if (!message) onError(invalidMessage());
        else if (message.type !== 'command') this.#heardAtMs = performance.now();
        if (message) onMessage(message);
      });
      socket.on('close', (code, reason) => {
        clearTimeout(dead);
        this.#sockets.delete(socket);
        reject(new Error(`the channel was closed: ${code}`));
        if (code === closeCodes.notAuthenticated) session.forgetToken(token);
        if (socket === this.#socket) this.#lost(code, String(reason));
      });
    });
  }

  #lost(code: number, reason: string): void {
    this.#socket = undefined;
    clearTimeout(this.#renewal);
    this.#options.onClosed(code, reason);
    // Another program uses the same ap_id: two that take the channel from each other would do nothing else.
    this.#again(undefined, code === closeCodes.replaced ? this.#options.backOff.longest() : 0);
  }

  #again(error: Error | undefined, leastMs = 0): void {
    if (this.#isStopped || this.#retry !== undefined || this.#isConnecting) return;
    const { backOff } = this.#options;
    if (error) this.#options.onError(error);
    if (isReplaced(error)) return;
    const isHopeless = error instanceof WeftRefusal && !error.isPassing && error.status !== 401;
    const pauseMs = backOff.next(Math.max(leastMs, retryAfterMs(error), isHopeless ? backOff.longest() : 0));
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#connect().catch((failure: Error) => this.#again(failure));
    }, pauseMs);
  }
}

async function readText(response: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  try {
    for await (const piece of response) {
      text += piece;
      if (text.length > maxRefusalBytes) break;
    }
  } catch {
    // The part that was read is enough.
  }
  return text;
}

/** Undefined for what is not a message of Weft. */
function parse(text: string): ChannelDownMessage | undefined {
  try {
    const message = JSON.parse(text);
    // A Weft from before free text sends an object with name and arguments as `command`.
    if (message?.type === 'command' && isObject(message.command)) {
      const { name, ...args } = message.command;
      Object.assign(message, { name, args, command: JSON.stringify(message.command) });
    }
    return hasShape<ChannelDownMessage>(ChannelDownMessage, message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function invalidMessage(): Error {
  return Object.assign(new Error('a message of Weft is invalid and was ignored'), { code: 'invalid_message' });
}

function ignore(): void {}
