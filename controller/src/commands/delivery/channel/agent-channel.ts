// One agent's own WebSocket: commands go down as fast as the agent takes them, its word about them and its telemetry come
// up, any number on their way at once. Telemetry passes the same gate as on every door and is answered once it is durable.
import type { ChannelError, CommandResultMessage, HelloMessage } from '@weft/contract';
import type { AgentCaller, Caller } from '../../../caller.ts';
import { AuthenticationError, PermissionError } from '../../../errors.ts';
import { toAnswer } from '../../../http/request/error-map.ts';
import { closeCodes, type OpenSocket, type SocketListener } from '../../../http/sockets/open-socket.ts';
import { readJson } from '../../../input/json-reader.ts';
import type { Validator } from '../../../input/validator.ts';
import type { KnownReports } from '../../../telemetry/ingest/known-reports.ts';
import { parseReport } from '../../../telemetry/ingest/parse-report.ts';
import type { TelemetryService } from '../../../telemetry/ingest/telemetry-service.ts';
import type { CommandDelivery, OutgoingCommand } from '../command-delivery.ts';
import { ChannelCommands, type ChannelCommandsParts, maxBufferedBytes } from './channel-commands.ts';
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

/** What all channels of a node use. */
export interface ChannelParts extends ChannelCommandsParts {
  delivery: CommandDelivery;
  telemetry: TelemetryService;
  known: KnownReports;
  validator: Validator;
  flow: SharedFlow;
  /** The caller behind a token as it stands now; throws if it may not have the channel any more. */
  authorize: (token: string) => Caller | Promise<Caller>;
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
  readonly #commands: ChannelCommands;

  constructor(socket: OpenSocket, agent: AgentCaller, parts: ChannelParts) {
    this.#socket = socket;
    this.agent = agent;
    this.#parts = parts;
    this.#flow = new ChannelFlow(parts.flow, socket);
    this.#commands = new ChannelCommands(socket, agent.name, parts);
    socket.listener = this;
    this.#commands.onDue();
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** These commands became due, or any may have. */
  onDue(commands?: readonly OutgoingCommand[]): void {
    this.#commands.onDue(commands);
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
    this.#flow.peerNotReading = false;
    this.#commands.pump();
  }

  swept(): void {
    this.#commands.swept();
  }

  closed(): void {
    this.#flow.closed();
    this.#commands.closed();
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
      const report = parseReport(body, agent.name, Date.now(), telemetry.limits, inexact);
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
        const report = parseReport({ configuration: { commands } }, agent.name, Date.now(), telemetry.limits);
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
      this.#commands.answered(command_id);
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
    if (this.#socket.bufferedBytes > maxBufferedBytes) this.#flow.peerNotReading = true;
  }
}

function toAck(id: number | undefined, accepted: number): string {
  return id === undefined
    ? `{"type":"telemetry_ack","accepted":${accepted}}`
    : `{"type":"telemetry_ack","id":${id},"accepted":${accepted}}`;
}
