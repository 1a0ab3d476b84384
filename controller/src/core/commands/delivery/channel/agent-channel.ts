// One agent's own WebSocket: commands go down as fast as the agent takes them, its word about them and its telemetry come
// up, any number on their way at once. Telemetry is read as by `agent_update` (#21) and answered once it is durable.
import type {
  ChannelDownMessage,
  CommandResultMessage,
  ConfigResultMessage,
  ConfigRunningMessage,
  HelloMessage,
} from '@weft/contract';
import type { AgentCaller, Caller } from '../../../base/caller.ts';
import type { Shown } from '../../../base/credential.ts';
import { AuthenticationError, PermissionError } from '../../../base/errors.ts';
import type { Validator } from '../../../base/input/validator.ts';
import { rightsOf } from '../../../base/rights/rights.ts';
import { toAnswer } from '../../../http/request/error-map.ts';
import { closeCodes, type OpenSocket, type SocketListener } from '../../../http/sockets/open-socket.ts';
import type { Port } from '../../../port.ts';
import { type Recorded, type TelemetryService, toCounts } from '../../../telemetry/ingest/telemetry-service.ts';
import type { CommandDelivery, OutgoingCommand } from '../command-delivery.ts';
import { ChannelCommands, type ChannelCommandsParts, maxBufferedBytes } from './channel-commands.ts';
import { ChannelFlow, type SharedFlow } from './channel-flow.ts';
import { idsOf, readMessage } from './channel-message.ts';
import type { ChannelTopic } from './channel-topic.ts';

/** What all channels of a node use. */
export interface ChannelParts extends ChannelCommandsParts {
  delivery: CommandDelivery;
  telemetry: TelemetryService;
  validator: Validator;
  flow: SharedFlow;
  /** The present caller; throws if it may not have the channel any more. */
  authorize: (shown: Shown) => Caller | Promise<Caller>;
  /** A better secret for an agent that logs in with a password that somebody chose. */
  offerSecret: (agent: AgentCaller) => Promise<string | undefined>;
  /** What it shall be: what to say about it, and what the agent says. */
  topic: Port<ChannelTopic>;
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
    this.onConfigDue(true);
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  /** These commands became due, or any may have. */
  onDue(commands?: readonly OutgoingCommand[]): void {
    this.#commands.onDue(commands);
  }

  /** Its settings may be due. */
  onConfigDue(isFresh = false): void {
    this.#parts.topic.owner
      .due(this.agent, isFresh)
      .then((message) => message && this.#send(textOf(message)))
      .catch((error) => this.#parts.onError(error, 'the settings of an agent could not be read'));
  }

  replace(): void {
    this.#socket.forceClose(closeCodes.replaced, 'a newer channel of this agent is open');
  }

  forceClose(code: number, reason: string): void {
    this.#socket.forceClose(code, reason);
  }

  onMessage(bytes: Buffer): void {
    this.#flow.begin(bytes.length);
    try {
      const agent = this.#present();
      if (agent instanceof Promise) {
        agent.then((each) => this.#take(each, bytes)).catch((error) => this.#refuse(error, bytes));
      } else this.#take(agent, bytes);
    } catch (error) {
      this.#refuse(error, bytes);
    }
  }

  onDrain(): void {
    this.#flow.peerNotReading = false;
    this.#commands.pump();
  }

  onSweep(): void {
    this.#commands.onSweep();
  }

  onClose(): void {
    this.#flow.closed();
    this.#commands.closed();
    this.#parts.onClosed(this);
  }

  /** Answers it, without a promise more than that needs: this runs for every report. Throws what is wrong with the message. */
  #take(agent: AgentCaller, bytes: Buffer): void {
    const { telemetry, validator } = this.#parts;
    const message = readMessage(bytes, agent.name, telemetry.reports, validator);
    const refuse = (error: unknown) => this.#refuse(error, bytes);
    if (message.type === 'telemetry') {
      const { id } = message;
      telemetry.record(agent, message.report).then((recorded) => this.#reply(toAck(id, recorded), bytes), refuse);
      return;
    }
    this.#answer(agent, message, bytes).then((text) => this.#reply(text, bytes), refuse);
  }

  #answer(
    agent: AgentCaller,
    message: HelloMessage | CommandResultMessage | ConfigResultMessage | ConfigRunningMessage,
    bytes: Uint8Array,
  ): Promise<string> {
    if (message.type === 'hello') return this.#hello(agent, message, bytes);
    return message.type === 'command_result' ? this.#result(agent, message) : this.#config(agent, message);
  }

  async #hello(agent: AgentCaller, { commands, running }: HelloMessage, bytes: Uint8Array): Promise<string> {
    const { telemetry } = this.#parts;
    if (commands) {
      const value = { configuration: { commands } };
      await telemetry.record(agent, telemetry.reports.parse({ value, inexact: [] }, agent.name, bytes));
    }
    const said = running ? await this.#config(agent, { type: 'config_running', ...running }) : '';
    if (said !== '') this.#send(said);
    const offered_secret = await this.#parts.offerSecret(agent);
    return textOf({ type: 'hello_ack', ...(offered_secret !== undefined && { offered_secret }) });
  }

  /** Empty if there is nothing to say. */
  async #config(agent: AgentCaller, message: ConfigResultMessage | ConfigRunningMessage): Promise<string> {
    const next = await this.#parts.topic.owner.heard(agent, message, String(this.nonce));
    return next ? textOf(next) : '';
  }

  async #result(agent: AgentCaller, { type: _, command_id, ...result }: CommandResultMessage): Promise<string> {
    const { state } = await this.#parts.delivery.answer(agent, command_id, result);
    this.#commands.answered(command_id);
    return textOf({ type: 'command_state', command_id, state });
  }

  /** The agent as its record stands now: rights are those of this moment, not those of when the channel was opened. */
  #present(): AgentCaller | Promise<AgentCaller> {
    const caller = this.#parts.authorize(this.#socket.shown);
    return caller instanceof Promise ? caller.then((each) => this.#same(each)) : this.#same(caller);
  }

  #same(caller: Caller): AgentCaller {
    const { agent } = rightsOf(caller);
    if (agent?.id !== this.agent.id) throw new AuthenticationError();
    return agent;
  }

  /** It is done with, and this is its answer. */
  #reply(text: string, bytes: Buffer): void {
    try {
      if (text !== '') this.#send(text);
      this.#flow.end(bytes.length);
    } catch (error) {
      this.#socket.fail(error);
    }
  }

  #refuse(error: unknown, bytes: Buffer): void {
    try {
      this.#sayNo(error, bytes);
      this.#flow.end(bytes.length);
    } catch (fault) {
      this.#socket.fail(fault);
    }
  }

  /** Every refusal carries the id of what it refuses, whatever has failed: somebody waits for it. */
  #sayNo(error: unknown, bytes: Uint8Array): void {
    if (error instanceof AuthenticationError) {
      this.forceClose(closeCodes.notAuthenticated, 'the token is no longer good');
      return;
    }
    if (error instanceof PermissionError && error.code === 'not_permitted') {
      this.forceClose(closeCodes.notPermitted, 'not permitted');
      return;
    }
    const answer = toAnswer(error);
    if (!answer) this.#parts.onError(error, 'unexpected error on the channel of an agent');
    const { status, body, headers } = answer ?? {
      status: 500,
      body: { detail: 'Internal Server Error', code: 'internal_error' },
    };
    const retryAfter = headers?.['retry-after'];
    const message: ChannelDownMessage = {
      type: 'error',
      ...idsOf(bytes),
      status,
      detail: body.detail,
      code: body.code,
      ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
    };
    this.#send(textOf(message));
  }

  #send(text: string): void {
    if (!this.isOpen) return;
    this.#socket.sendSoon(text);
    if (this.#socket.bufferedBytes > maxBufferedBytes) this.#flow.peerNotReading = true;
  }
}

/** Nothing but what `/asyncapi.json` names is said on a channel. */
function textOf(message: ChannelDownMessage): string {
  return JSON.stringify(message);
}

function toAck(id: number | undefined, recorded: Recorded): string {
  const { accepted, merged, ignored, rounded } = recorded;
  if (ignored || rounded || merged > 0)
    return textOf({ type: 'telemetry_ack', ...(id !== undefined && { id }), ...toCounts(recorded) });
  return id === undefined
    ? `{"type":"telemetry_ack","accepted":${accepted}}`
    : `{"type":"telemetry_ack","id":${id},"accepted":${accepted}}`;
}
