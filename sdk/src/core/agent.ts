// An access point as Weft knows it: logs in, says what it can do, reports what it measures, and answers commands. Holds
// its channel open by itself, whatever happens to the connection.
/// <reference lib="esnext.disposable" preserve="true" />
import { join } from 'node:path';
import type { ChannelDownMessage } from '@weft/contract';
import { folderOf } from '@weft/contract/ap-id';
import { BackOff } from '@weft/contract/back-off';
import { pauseUnless } from '@weft/contract/pause';
import type { AgentOptions, ArgumentsOf, CommandDeclaration } from './agent-options.ts';
import { SecretOffers } from './agent-secret.ts';
import { Channel } from './channel.ts';
import { CommandDesk, type CommandHandler, maxRemembered } from './command-desk.ts';
import { IgnoredWarnings } from './ignored-warnings.ts';
import { requireAgentOptions } from './missing-options.ts';
import { Report, type Sample } from './report.ts';
import { ReportQueue, stopped } from './report-queue.ts';
import { SampleTimes } from './sample-times.ts';
import { Session } from './session.ts';
import { SettingsKeeper, type SettingsOptions } from './settings-keeper.ts';
import { CommandMemory } from './spool/command-memory.ts';
import { Spool } from './spool/spool.ts';
import { newestTime, SpooledReports } from './spool/spooled-reports.ts';
import { retryAfterMs, WeftRefusal } from './weft-refusal.ts';

/** Longer than Weft waits for a database. */
const defaultAnswerTimeoutMs = 60_000;
const defaultSpoolBytes = 64 * 1024 * 1024;

/**
 * Speaks for one access point.
 *
 * ```ts
 * const agent = new Agent({ url, ap_id: 'roof-1', password, enrolmentToken, configuration: { site: 'roof' } })
 *   .metric('rssi_dbm', { label: 'Signal', unit: 'dBm' })
 *   .command({ name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 23 } } }, ({ dbm = 20 }) => {
 *     const applied = Math.round(dbm);
 *     return { applied: { dbm: applied } };
 *   });
 * await agent.start();
 * await agent.post({ rssi_dbm: -61.5 });
 * await agent.stop();
 * ```
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #session: Session;
  readonly #channel: Channel;
  readonly #desk: CommandDesk;
  readonly #reports: ReportQueue;
  readonly #spooled: SpooledReports | undefined;
  readonly #memory: CommandMemory | undefined;
  readonly #offers: SecretOffers;
  readonly #declarations: CommandDeclaration[] = [];
  #settings: { keeper: SettingsKeeper; isOwn: boolean } | undefined;
  readonly #metrics: Record<string, { label?: string; unit?: string }> = {};
  readonly #times: SampleTimes;
  readonly #ignored: IgnoredWarnings;
  readonly #stopping = new AbortController();

  constructor(options: AgentOptions) {
    requireAgentOptions(options);
    this.#options = options;
    this.#session = new Session(options);
    this.#ignored = new IgnoredWarnings(options.onIgnored);
    const onError = (error: Error) => options.onError?.(error);
    const say = (text: string) => void this.#channel.send(text);
    this.#offers = new SecretOffers({ session: this.#session, keep: options.keepSecret, send: say, onError });
    const folder = options.spoolDir && join(options.spoolDir, folderOf(options.ap_id));
    if (folder) this.#memory = new CommandMemory(join(folder, 'commands.log'), maxRemembered);
    this.#desk = new CommandDesk({ send: say, memory: this.#memory, onError });
    this.#times = new SampleTimes(this.#session.clock);
    const stamp = (moment: number) => this.#times.stamp(moment);
    this.#reports = new ReportQueue({
      send: (text) => this.#channel.send(text),
      isOpen: () => this.#channel.isOpen,
      stamp,
      maxWaiting: options.maxWaitingReports ?? 10_000,
    });
    if (folder) {
      const spool = new Spool({ folder, maxBytes: options.spoolMaxBytes ?? defaultSpoolBytes });
      this.#spooled = new SpooledReports({ spool, queue: this.#reports, clock: this.#session.clock, stamp, onError });
      // Many samples at once run ahead of the clock: those of the next process must not fall on them.
      this.#times.goOnAfter(newestTime(spool.newestFound));
    }
    this.#channel = new Channel({
      session: this.#session,
      backOff: new BackOff(options.backOff),
      answerTimeoutMs: options.answerTimeoutMs ?? defaultAnswerTimeoutMs,
      // Weft asks again for the result of a command, so that only silence counts there.
      missingSinceMs: (heardAtMs) =>
        Math.min(this.#reports.missingSinceMs(heardAtMs), Math.max(this.#desk.unansweredSinceMs, heardAtMs)),
      onMessage: (message) => this.#hear(message),
      onOpen: () => {
        this.#desk.repeat();
        this.#reports.repeat();
        this.#spooled?.opened();
        this.#offers.ask();
        this.#settings?.keeper.opened();
        options.onConnected?.();
      },
      onClosed: (code, reason) => {
        this.#spooled?.closed();
        options.onDisconnected?.(code, reason);
      },
      onError,
    });
  }

  get isConnected(): boolean {
    return this.#channel.isOpen;
  }

  /** Reports that Weft has not stored yet, in memory and on disk. */
  get waitingReports(): number {
    return this.#spooled?.size ?? this.#reports.size;
  }

  /**
   * To be called before `start`: this agent takes the command, and the handler does it. Weft refuses arguments beyond what
   * is declared; the handler's are typed by it. A command is done once, whatever is delivered twice; with `spoolDir` also
   * across restarts, where one that was interrupted is told as failed.
   *
   * ```ts
   * agent.command({ name: 'set_channel', params: { channel: { enum: [36, 40, 44] } } }, async ({ channel = 36 }) => {
   *   return { result: `now on channel ${channel}` };
   * });
   * ```
   */
  command<const Declaration extends CommandDeclaration>(
    declaration: Declaration,
    handler: CommandHandler<ArgumentsOf<Declaration>>,
  ): this {
    this.#declarations.push(declaration);
    const name = typeof declaration === 'string' ? declaration : declaration.name;
    this.#desk.handle(name, handler as CommandHandler);
    return this;
  }

  /**
   * To be called before `start`: how a metric is to be shown.
   *
   * ```ts
   * agent.metric('rssi_dbm', { label: 'Signal', unit: 'dBm' });
   * ```
   */
  metric(name: string, declaration: { label?: string; unit?: string }): this {
    this.#metrics[name] = declaration;
    return this;
  }

  /**
   * To be called before `start`: this access point can be given settings, and the handler applies them. They are tried first: unless
   * Weft confirms them over a new connection in time, and after a restart during the trial, `apply` is called with the old ones.
   * Needs `spoolDir`, where old and new settings lie, or a `storage`. After each command Weft is told what runs now. Whoever makes
   * another agent for the same access point while that runs gives it the same SettingsKeeper, so that a trial goes on.
   *
   * ```ts
   * const radio = { channel: 36 };
   * agent.settings({
   *   declare: { channel: { type: 'integer', enum: [36, 40, 44], parameter: 'channel', restart: 'radio' } },
   *   apply: (settings) => void Object.assign(radio, settings),
   *   running: () => ({ ...radio }),
   * });
   * ```
   */
  settings(given: SettingsOptions | SettingsKeeper): this {
    const keeper = given instanceof SettingsKeeper ? given : SettingsKeeper.of(given, this.#options);
    keeper.use({
      send: (text) => void this.#channel.send(text),
      renew: () => this.#channel.renew(),
      onError: (error) => this.#options.onError?.(error),
    });
    this.#settings = { keeper, isOwn: keeper !== given };
    return this;
  }

  /**
   * Resolves once the channel is open. While Weft is away it is tried again; throws WeftRefusal if Weft does not want this
   * agent, or when the agent is stopped meanwhile.
   *
   * ```ts
   * await agent.start();
   * console.log(agent.isConnected);
   * ```
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
        await pauseUnless(this.#stopping.signal, backOff.next(retryAfterMs(error)));
      }
    }
  }

  async #begin(): Promise<void> {
    const { enrolmentToken, configuration = {} } = this.#options;
    const declared = {
      ...configuration,
      ...(this.#declarations.length > 0 && { commands: this.#declarations }),
      ...(this.#settings && { settings: this.#settings.keeper.declare }),
      ...(Object.keys(this.#metrics).length > 0 && {
        metrics: { ...(configuration.metrics as Record<string, unknown> | undefined), ...this.#metrics },
      }),
    };
    await this.#settings?.keeper.begin();
    await this.#session.begin(enrolmentToken, declared);
    if (Object.keys(declared).length > 0) {
      await this.#session.post('/api/v1/agent_update/update', { configuration: declared });
    }
    await this.#channel.start();
  }

  /**
   * One sample or many, each with a time of its own or that of now by Weft's clock. Resolves how many, once they are durable:
   * in Weft, or, with `spoolDir` and while Weft is away, on disk here. What Weft cannot store of them is told to `onIgnored`. Without it reports wait in memory. Throws WeftRefusal
   * if Weft refuses them, if too many wait already, or when the agent is stopped.
   *
   * ```ts
   * await agent.start();
   * await agent.post({ load: 0.4 });
   * await agent.post([{ ts: Date.now() - 1000, load: 0.5 }, { load: 0.6 }]);
   * ```
   */
  async post(report: Sample | readonly Sample[]): Promise<number> {
    const parts = Report.of(report, this.#times.moment(Array.isArray(report) ? report.length : 1)).parts();
    if (!this.#spooled) return this.#reports.add(...parts);
    const kept = await Promise.all(parts.map((part) => this.#spooled!.post(part)));
    return kept.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Gives what is on its way a moment to arrive, then closes the channel. Reports without an answer are refused, or, with
   * `spoolDir`, kept for the next start.
   *
   * ```ts
   * await agent.start();
   * await agent.stop({ graceMs: 500 });
   * ```
   */
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
    const kept = this.#spooled?.close();
    this.#reports.close();
    this.#channel.stop();
    await Promise.all([kept, this.#memory?.close(), this.#settings?.isOwn && this.#settings.keeper.stop()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #hear(message: ChannelDownMessage): void {
    switch (message.type) {
      case 'command':
        if (!this.#options.isDeaf?.()) this.#desk.take(message);
        return;
      case 'telemetry_ack':
        if (message.ignored) this.#ignored.heard(message.ignored);
        if (message.id !== undefined) this.#reports.stored(message.id, message.accepted);
        return;
      case 'command_state':
        this.#desk.heard(message.command_id, message.state);
        // Not before Weft knows of the command: what it has set is no drift.
        if (message.state === 'succeeded') this.#settings?.keeper.changed();
        return;
      case 'hello_ack':
        void this.#offers.take(message.offered_secret);
        return;
      case 'config':
      case 'config_confirm':
        if (!this.#options.isDeaf?.()) this.#settings?.keeper.hear(message);
        return;
      case 'error':
        this.#refused(message);
        return;
    }
  }

  #refused(message: Extract<ChannelDownMessage, { type: 'error' }>): void {
    const { id, command_id, status, code, detail, retry_after } = message;
    const refusal = new WeftRefusal(status, code, detail, retry_after);
    if (id !== undefined) this.#reports.refused(id, refusal);
    else if (command_id !== undefined) this.#desk.refused(command_id, refusal);
    if (id === undefined && (command_id === undefined || refusal.isPassing)) this.#options.onError?.(refusal);
  }
}
