// One agent's own WebSocket: commands go down as fast as the agent takes them, its word about them and its telemetry come
// up, any number on their way at once. Telemetry passes the same gate as on every door and is answered once it is durable.
import type { ChannelError, CommandResultMessage, HelloMessage } from '@weft/contract';
import type { AgentCaller, Caller } from '../caller.ts';
import { AuthenticationError, PermissionError } from '../errors.ts';
import { toAnswer } from '../http/error-map.ts';
import { readJson } from '../http/json-reader.ts';
import { closeCodes, type OpenSocket, type SocketListener } from '../http/open-socket.ts';
import type { Validator } from '../http/validator.ts';
import type { KnownReports } from '../telemetry/known-reports.ts';
import { parseAgentUpdate } from '../telemetry/telemetry-point.ts';
import type { TelemetryService } from '../telemetry/telemetry-service.ts';
import { ChannelFlow, type SharedFlow } from './channel-flow.ts';
import {
  closeBody,
  maxKeys,
  openBody,
  readEnvelope,
  readMessage,
  type TelemetryBody,
  UnreadableMessage,
} from './channel-message.ts';
import { type SentWindow, toAgentCommand } from './channel-sent-window.ts';
import type { CommandDelivery, OutgoingCommand } from './command-delivery.ts';

/** What a channel may hold that its agent has not taken. */
const maxBufferedBytes = 1024 * 1024;
/** How often to look whether commands without an answer have become due again, in sweeps. */
const lookAgainEvery = 5;
const maxUnanswered = 10_000;
/** With so many at once there may be more. */
const duePage = 1_000;

/** What all channels of a node use. */
export interface ChannelParts {
  delivery: CommandDelivery;
  /** The same, but few at a time. */
  due: CommandDelivery['due'];
  telemetry: TelemetryService;
  known: KnownReports;
  validator: Validator;
  flow: SharedFlow;
  sentWindow: SentWindow;
  /** The caller behind a token as it stands now; throws if it may not have the channel any more. */
  authorize: (token: string) => Caller | Promise<Caller>;
  onError: (error: unknown, message: string) => void;
  onClosed: (channel: AgentChannel) => void;
}

export class AgentChannel implements SocketListener {
  readonly agent: AgentCaller;
  /** On the machine's own clock. */
  readonly openedAtMs = performance.now();
  readonly nonce = Math.random();
  readonly #socket: OpenSocket;
  readonly #parts: ChannelParts;
  readonly #flow: ChannelFlow;
  #pending: OutgoingCommand[] = [];
  /** Sent on this channel, and no word about them yet. */
  readonly #unanswered = new Map<string, number>();
  #told = 1;
  #heardOf = 0;
  #isFresh = true;
  #isReading = false;
  #sweeps = 0;

  constructor(socket: OpenSocket, agent: AgentCaller, parts: ChannelParts) {
    this.#socket = socket;
    this.agent = agent;
    this.#parts = parts;
    this.#flow = new ChannelFlow(parts.flow, socket);
    socket.listener = this;
    this.#pump();
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** Commands may have become due. */
  wake(): void {
    this.#told++;
    this.#pump();
  }

  replace(): void {
    this.#socket.dismiss(closeCodes.replaced, 'a newer channel of this agent is open');
  }

  dismiss(code: number, reason: string): void {
    this.#socket.dismiss(code, reason);
  }

  heard(bytes: Buffer): void {
    const size = bytes.length;
    this.#flow.begin(size);
    const done = () => this.#flow.end(size);
    try {
      const envelope = readEnvelope(bytes);
      const work = envelope ? this.#quickTelemetry(bytes, envelope) : this.#handle(bytes);
      work.then(done, (error) => {
        done();
        this.#fail(error, {});
      });
    } catch (error) {
      done();
      this.#fail(error, {});
    }
  }

  drained(): void {
    this.#flow.isStuffed = false;
    this.#pump();
  }

  swept(): void {
    this.#sweeps++;
    const isLate = this.#sweeps % lookAgainEvery === 0 && this.#unanswered.size > 0;
    if (isLate) this.#forgetExpired();
    if (isLate) this.wake();
    else this.#pump();
  }

  closed(): void {
    this.#flow.closed();
    this.#pending = [];
    this.#parts.onClosed(this);
  }

  /** By the shape of what the agent has sent before, or else by the long way. */
  #quickTelemetry(bytes: Buffer, { id, bodyAt }: { id: number; bodyAt: number }): Promise<void> {
    const { known, telemetry } = this.#parts;
    const body = openBody(bytes, bodyAt);
    try {
      const agent = this.#present();
      if (agent instanceof Promise) return agent.then(() => this.#readQuickTelemetry(bytes, body, id, bodyAt));
      const report = known.read(body, agent.name, Date.now());
      if (report) return this.#acknowledge(id, telemetry.record(agent, report));
    } catch (error) {
      this.#fail(error, { id });
      return Promise.resolve();
    }
    return this.#readQuickTelemetry(bytes, body, id, bodyAt);
  }

  async #readQuickTelemetry(bytes: Buffer, body: Uint8Array, id: number, bodyAt: number): Promise<void> {
    let read: ReturnType<typeof readJson> | undefined;
    try {
      read = readJson(body, maxKeys);
    } catch {
      // Below, where the whole message is looked at.
    }
    const fields = (read?.value ?? {}) as Record<string, unknown>;
    // Of equal keys the last one counts, and that is what only the whole message can tell.
    const isPlain =
      read && Object.keys(fields).length > 0 && !Object.hasOwn(fields, 'id') && !Object.hasOwn(fields, 'type');
    if (!isPlain) {
      closeBody(bytes, bodyAt);
      return this.#handle(bytes);
    }
    const isStored = await this.#telemetry({ type: 'telemetry', id, body: fields, inexact: read!.inexact });
    if (isStored) this.#parts.known.learn(body, this.agent.name);
  }

  async #handle(bytes: Buffer): Promise<void> {
    let message: ReturnType<typeof readMessage>;
    try {
      message = readMessage(bytes, this.#parts.validator);
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      this.#fail(error.cause, { id: error.id, command_id: error.command_id });
      return;
    }
    if (message.type === 'telemetry') await this.#telemetry(message);
    else if (message.type === 'hello') await this.#hello(message);
    else await this.#result(message);
  }

  /** Resolves whether it was stored. */
  async #telemetry({ id, body, inexact }: TelemetryBody): Promise<boolean> {
    const { telemetry } = this.#parts;
    try {
      const agent = await this.#present();
      const report = parseAgentUpdate(body, agent.name, Date.now(), telemetry.limits, inexact);
      this.#reply(toAck(id, await telemetry.record(agent, report)));
      return true;
    } catch (error) {
      this.#fail(error, { id });
      return false;
    }
  }

  #acknowledge(id: number, recorded: Promise<number>): Promise<void> {
    return recorded.then(
      (accepted) => this.#reply(toAck(id, accepted)),
      (error) => this.#fail(error, { id }),
    );
  }

  async #hello({ commands }: HelloMessage): Promise<void> {
    const { telemetry } = this.#parts;
    try {
      const agent = await this.#present();
      if (commands) {
        const report = parseAgentUpdate({ configuration: { commands } }, agent.name, Date.now(), telemetry.limits);
        await telemetry.record(agent, report);
      }
      this.#reply('{"type":"hello_ack"}');
    } catch (error) {
      this.#fail(error, {});
    }
  }

  async #result({ type: _, command_id, ...result }: CommandResultMessage): Promise<void> {
    try {
      const agent = await this.#present();
      const { state } = await this.#parts.delivery.answer(agent, command_id, result);
      this.#unanswered.delete(command_id);
      this.#reply(JSON.stringify({ type: 'command_state', command_id, state }));
    } catch (error) {
      this.#fail(error, { command_id });
    }
  }

  /** The agent as its record stands now: rights are those of this moment, not those of when the channel was opened. */
  #present(): AgentCaller | Promise<AgentCaller> {
    const caller = this.#parts.authorize(this.#socket.token);
    return caller instanceof Promise ? caller.then((each) => this.#same(each)) : this.#same(caller);
  }

  #same(caller: Caller): AgentCaller {
    if (caller.kind !== 'agent' || caller.id !== this.agent.id) throw new AuthenticationError();
    return caller;
  }

  #fail(error: unknown, about: { id?: number | undefined; command_id?: string | undefined }): void {
    if (error instanceof AuthenticationError) {
      this.dismiss(closeCodes.notAuthenticated, 'the token is no longer good');
      return;
    }
    if (error instanceof PermissionError && error.code === 'not_permitted') {
      this.dismiss(closeCodes.notPermitted, 'not permitted');
      return;
    }
    const answer = toAnswer(error);
    if (!answer) this.#parts.onError(error, 'unforeseen error on the channel of an agent');
    const { status, body, headers } = answer ?? {
      status: 500,
      body: { detail: 'Internal Server Error', code: 'internal_error' },
    };
    const retryAfter = headers?.['retry-after'];
    const message: ChannelError = {
      type: 'error',
      ...(about.id !== undefined && { id: about.id }),
      ...(about.command_id !== undefined && { command_id: about.command_id }),
      status,
      detail: body.detail,
      code: body.code,
      ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
    };
    this.#reply(JSON.stringify(message));
  }

  #reply(text: string): void {
    if (!this.isOpen) return;
    this.#socket.gather();
    this.#socket.send(text);
    if (this.#socket.bufferedBytes > maxBufferedBytes) this.#flow.isStuffed = true;
  }

  #pump(): void {
    if (!this.#isReading && this.#mayWrite && (this.#pending.length > 0 || this.#heardOf < this.#told)) {
      void this.#deliver();
    }
  }

  get #mayWrite(): boolean {
    return this.isOpen && this.#socket.bufferedBytes <= maxBufferedBytes;
  }

  async #deliver(): Promise<void> {
    this.#isReading = true;
    try {
      do {
        this.#writePending();
        if (!this.#mayWrite || this.#heardOf === this.#told) return;
        const told = this.#told;
        const isFresh = this.#isFresh;
        const due = await this.#parts.due(this.agent.name, isFresh);
        this.#isFresh = false;
        this.#heardOf = told;
        // Somebody who comes back is given again what an earlier channel was given.
        this.#pending = isFresh ? due : this.#parts.sentWindow.unsent(due);
        if (due.length >= duePage && this.#pending.length > 0) this.#told++;
      } while (this.#pending.length > 0 || this.#heardOf < this.#told);
    } catch (error) {
      // The next sweep tries again.
      this.#parts.onError(error, 'the commands for an agent cannot be read; trying again');
    } finally {
      this.#isReading = false;
    }
  }

  #writePending(): void {
    const { sentWindow, delivery } = this.#parts;
    const now = Date.now();
    const written: string[] = [];
    while (this.#pending.length > written.length && this.#mayWrite) {
      const command = this.#pending[written.length]!;
      written.push(command.command_id);
      if (command.expires_at <= now) continue;
      this.#socket.gather();
      this.#socket.send(JSON.stringify({ type: 'command', ...toAgentCommand(command) }));
      sentWindow.note(command.command_id);
      this.#unanswered.set(command.command_id, command.expires_at);
    }
    if (written.length === 0) return;
    const sent = written.filter((_, index) => this.#pending[index]!.expires_at > now);
    this.#pending = this.#pending.slice(written.length);
    for (const oldest of this.#unanswered.keys()) {
      if (this.#unanswered.size <= maxUnanswered) break;
      this.#unanswered.delete(oldest);
    }
    delivery.sent(sent);
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const [command_id, expires_at] of this.#unanswered) {
      if (expires_at <= now) this.#unanswered.delete(command_id);
    }
  }
}

function toAck(id: number | undefined, accepted: number): string {
  return id === undefined
    ? `{"type":"telemetry_ack","accepted":${accepted}}`
    : `{"type":"telemetry_ack","id":${id},"accepted":${accepted}}`;
}
