// An access point as Weft knows it: logs in, says what it can do, reports what it measures, and answers commands. Holds
// its channel open by itself, whatever happens to the connection.
import { setTimeout as pause } from 'node:timers/promises';
import type { ChannelDownMessage } from '@weft/contract';
import { BackOff } from './back-off.ts';
import { Channel } from './channel.ts';
import { CommandDesk, type CommandHandler } from './command-desk.ts';
import { ReportQueue, stopped } from './report-queue.ts';
import { Session } from './session.ts';
import { WeftRefusal } from './weft-refusal.ts';

/** Fields with their values, and maybe `ts`: milliseconds since 1970, or ISO 8601. Without one it is now. */
export type Sample = Record<string, unknown>;

export interface AgentOptions {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** PEM of the one certificate that may answer, whatever host it names; the usual authorities count unless given. */
  trustedCertificate?: string | undefined;
  ap_id: string;
  password: string;
  /** Registers the access point first, if it is not registered. */
  enrolmentToken?: string;
  /** Merged into the agent's configuration at the start, together with the commands. */
  configuration?: Record<string, unknown>;
  /** How many reports may wait for Weft, also while it is away; 10,000 unless told. */
  maxWaitingReports?: number;
  /** A command that comes while this is true is as good as lost on the way: not even its receipt is told. */
  isDeaf?: () => boolean;
  backOff?: { firstMs?: number; longestMs?: number };
  onConnected?: () => void;
  onDisconnected?: (code: number, reason: string) => void;
  /** Something did not work, and is tried again. */
  onError?: (error: Error) => void;
}

/** A name, or all that Weft should know about the arguments. */
export type CommandDeclaration = string | ({ name: string } & Record<string, unknown>);

export class Agent {
  readonly #options: AgentOptions;
  readonly #session: Session;
  readonly #channel: Channel;
  readonly #desk: CommandDesk;
  readonly #reports: ReportQueue;
  readonly #declarations: CommandDeclaration[] = [];
  readonly #stopping = new AbortController();
  #lastTs = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#session = new Session(options);
    this.#desk = new CommandDesk({ send: (text) => void this.#channel.send(text) });
    this.#reports = new ReportQueue({
      send: (text) => this.#channel.send(text),
      maxWaiting: options.maxWaitingReports ?? 10_000,
    });
    this.#channel = new Channel({
      session: this.#session,
      backOff: new BackOff(options.backOff),
      onMessage: (message) => this.#hear(message),
      onOpen: () => {
        this.#desk.repeat();
        this.#reports.repeat();
        options.onConnected?.();
      },
      onClosed: (code, reason) => options.onDisconnected?.(code, reason),
      onError: (error) => options.onError?.(error),
    });
  }

  get isConnected(): boolean {
    return this.#channel.isOpen;
  }

  /** To be called before `start`: this agent takes the command, and the handler does it. */
  command(declaration: CommandDeclaration, handler: CommandHandler): this {
    this.#declarations.push(declaration);
    this.#desk.handle(typeof declaration === 'string' ? declaration : declaration.name, handler);
    return this;
  }

  /**
   * Resolves once the channel is open. While Weft is away it is tried again; throws WeftRefusal if Weft does not want this
   * agent, or when the agent is stopped meanwhile.
   */
  async start(): Promise<void> {
    const backOff = new BackOff(this.#options.backOff);
    for (;;) {
      try {
        if (this.#stopping.signal.aborted) throw stopped();
        await this.#begin();
        return;
      } catch (error) {
        if (error instanceof WeftRefusal && !error.isPassing) throw error;
        this.#options.onError?.(error as Error);
        const after = error instanceof WeftRefusal ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
        await pause(backOff.next(after), undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }

  async #begin(): Promise<void> {
    const { enrolmentToken, configuration = {} } = this.#options;
    const declared = { ...configuration, ...(this.#declarations.length > 0 && { commands: this.#declarations }) };
    // A token for one use is of no use when the access point starts again.
    await this.#session.token().catch(async (error) => {
      const isUnknown = error instanceof WeftRefusal && error.status === 401;
      if (!isUnknown || enrolmentToken === undefined) throw error;
      await this.#session.enrol(enrolmentToken, declared);
    });
    if (Object.keys(declared).length > 0) {
      await this.#session.post('/api/v1/agent_update/update', JSON.stringify({ configuration: declared }));
    }
    await this.#channel.start();
  }

  /**
   * Resolves how many samples are stored, once they are durable. While the connection is broken reports wait. Throws
   * WeftRefusal if Weft refuses them, if too many wait already, or when the agent is stopped.
   */
  post(report: Sample | readonly Sample[]): Promise<number> {
    if (Array.isArray(report)) return this.#reports.add({ samples: report.map((sample) => this.#timed(sample)) });
    return this.#reports.add({ payload: this.#timed(report as Sample) });
  }

  /** Gives what is on its way a moment to arrive, then closes the channel. Reports without an answer are refused. */
  async stop({ graceMs = 2_000 } = {}): Promise<void> {
    this.#stopping.abort();
    if (this.isConnected) {
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.all([this.#reports.idle(), this.#desk.idle()]), grace]);
      clearTimeout(timer);
    }
    this.#reports.close();
    this.#channel.stop();
  }

  /** Each sample has a time of its own, so that one that is sent twice is one. */
  #timed(sample: Sample): Sample {
    if (sample.ts !== undefined || sample.timestamp !== undefined) return sample;
    this.#lastTs = Math.max(this.#lastTs + 1, this.#session.now());
    return { ts: this.#lastTs, ...sample };
  }

  #hear(message: ChannelDownMessage): void {
    switch (message.type) {
      case 'command':
        if (!this.#options.isDeaf?.()) this.#desk.take(message);
        return;
      case 'telemetry_ack':
        if (message.id !== undefined) this.#reports.stored(message.id, message.accepted);
        return;
      case 'command_state':
        this.#desk.heard(message.command_id, message.state);
        return;
      case 'error':
        this.#refused(message);
        return;
    }
  }

  #refused({
    id,
    command_id,
    status,
    code,
    detail,
    retry_after,
  }: Extract<ChannelDownMessage, { type: 'error' }>): void {
    const refusal = new WeftRefusal(status, code, detail, retry_after);
    if (id !== undefined) this.#reports.refused(id, refusal);
    else if (command_id !== undefined && !refusal.isPassing) this.#desk.refused(command_id);
    else this.#options.onError?.(refusal);
  }
}
