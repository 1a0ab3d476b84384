// One agent's own WebSocket: commands go down as fast as the agent takes them, its word about them and its telemetry come
// up, any number on their way at once. Telemetry is read as by `agent_update` (#21) and answered once it is durable.
import type { ChannelError, CommandResultMessage, HelloMessage } from '@weft/contract';
import type { AgentCaller, Caller } from '../../../caller.ts';
import { AuthenticationError, PermissionError } from '../../../errors.ts';
import { toAnswer } from '../../../http/request/error-map.ts';
import { closeCodes, type OpenSocket, type SocketListener } from '../../../http/sockets/open-socket.ts';
import type { Validator } from '../../../input/validator.ts';
import { toIgnored } from '../../../telemetry/ingest/ignored-fields.ts';
import type { Recorded, TelemetryService } from '../../../telemetry/ingest/telemetry-service.ts';
import type { CommandDelivery, OutgoingCommand } from '../command-delivery.ts';
import { ChannelCommands, type ChannelCommandsParts, maxBufferedBytes } from './channel-commands.ts';
import { ChannelFlow, type SharedFlow } from './channel-flow.ts';
import { idsOf, readMessage } from './channel-message.ts';

/** What all channels of a node use. */
export interface ChannelParts extends ChannelCommandsParts {
  delivery: CommandDelivery;
  telemetry: TelemetryService;
  validator: Validator;
  flow: SharedFlow;
  /** The present caller behind a token; throws if it may not have the channel any more. */
  authorize: (token: string) => Caller | Promise<Caller>;
  /** A better secret for an agent that logs in with a password that somebody chose. */
  offerSecret: (agent: AgentCaller) => Promise<string | undefined>;
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
    this.#socket.forceClose(closeCodes.replaced, 'a newer channel of this agent is open');
  }

  forceClose(code: number, reason: string): void {
    this.#socket.forceClose(code, reason);
  }

  onMessage(bytes: Buffer): void {
    const size = bytes.length;
    this.#flow.begin(size);
    const reply = (text: string) => {
      this.#reply(text);
      this.#flow.end(size);
    };
    const refuse = (error: unknown) => {
      this.#refuse(error, bytes);
      this.#flow.end(size);
    };
    try {
      const agent = this.#present();
      const answer =
        agent instanceof Promise ? agent.then((each) => this.#answer(each, bytes)) : this.#answer(agent, bytes);
      answer.then(reply, refuse);
    } catch (error) {
      refuse(error);
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

  /** Without a promise more than it needs: this runs for every report. */
  #answer(agent: AgentCaller, bytes: Uint8Array): Promise<string> {
    const { telemetry, validator } = this.#parts;
    const message = readMessage(bytes, agent.name, telemetry.reports, validator);
    switch (message.type) {
      case 'telemetry':
        return telemetry.record(agent, message.report).then((recorded) => toAck(message.id, recorded));
      case 'hello':
        return this.#hello(agent, message, bytes);
      case 'command_result':
        return this.#result(agent, message);
    }
  }

  async #hello(agent: AgentCaller, { commands }: HelloMessage, bytes: Uint8Array): Promise<string> {
    const { telemetry } = this.#parts;
    if (commands) {
      const value = { configuration: { commands } };
      await telemetry.record(agent, telemetry.reports.parse({ value, inexact: [] }, agent.name, bytes));
    }
    const offered_secret = await this.#parts.offerSecret(agent);
    return JSON.stringify({ type: 'hello_ack', ...(offered_secret !== undefined && { offered_secret }) });
  }

  async #result(agent: AgentCaller, { type: _, command_id, ...result }: CommandResultMessage): Promise<string> {
    const { state } = await this.#parts.delivery.answer(agent, command_id, result);
    this.#commands.answered(command_id);
    return JSON.stringify({ type: 'command_state', command_id, state });
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

  /** Every refusal carries the id of what it refuses, whatever has failed: somebody waits for it. */
  #refuse(error: unknown, bytes: Uint8Array): void {
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
    const message: ChannelError = {
      type: 'error',
      ...idsOf(bytes),
      status,
      detail: body.detail,
      code: body.code,
      ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
    };
    this.#reply(JSON.stringify(message));
  }

  #reply(text: string): void {
    if (!this.isOpen) return;
    this.#socket.batchWrites();
    this.#socket.send(text);
    if (this.#socket.bufferedBytes > maxBufferedBytes) this.#flow.peerNotReading = true;
  }
}

function toAck(id: number | undefined, { accepted, ignored }: Recorded): string {
  if (ignored) return JSON.stringify({ type: 'telemetry_ack', id, accepted, ...toIgnored(ignored) });
  return id === undefined
    ? `{"type":"telemetry_ack","accepted":${accepted}}`
    : `{"type":"telemetry_ack","id":${id},"accepted":${accepted}}`;
}
