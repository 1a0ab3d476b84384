// The agent of one emulated access point, which comes and goes with it: while the access point is unreachable there is no
// channel, and when it is back its agent logs in again.

import { modelVersion } from '@weft/contract/emulated-model';
import { pauseUnless } from '@weft/contract/pause';
import type { Semaphore } from '@weft/contract/semaphore';
import {
  Agent,
  CommandFailed,
  type CommandOutcome,
  SettingsKeeper,
  type SettingsStorage,
  WeftRefusal,
} from '@weft/sdk';
import type { CommandResult } from '../access-points/commands.ts';
import type { Sample } from '../access-points/sample.ts';
import type { AccessPointView } from '../world/world.ts';
import type { GivenCommand } from './emulated-run.ts';

/** After an access point goes, samples that were already sent may still arrive. */
const goodbyeMs = 1_000;
/** Pause before an agent that Weft refused tries again. */
const unwantedPauseMs = 60_000;
const backOff = { firstMs: 500, longestMs: 10_000 };
/** Of one report; the SDK sends it in several messages if it is too large for one. */
const maxSamplesPerReport = 500;

/** The result of the samples of all access points. */
export interface SampleTally {
  stored: number;
  /** Weft did not take them. */
  refused: number;
  /** Dropped: too many waited for too long. */
  lost: number;
  waiting: number;
}

export interface AgentLineOptions {
  url: string;
  trustedCertificate: string | undefined;
  ap_id: string;
  password: string;
  maxWaitingReports: number;
  logins: Semaphore;
  tally: SampleTally;
  /** Its present state. */
  view: () => AccessPointView;
  isDeaf: () => boolean;
  command: (command: GivenCommand) => CommandResult;
  settings: {
    /** Returns what runs then. */
    apply: (settings: Record<string, unknown>) => Record<string, number>;
    running: () => Record<string, number>;
    storage: SettingsStorage;
  };
  onTrouble: (error: unknown) => void;
}

function toReport({ ts, fields, devices }: Sample): Record<string, unknown> {
  return devices ? { ts, ...fields, devices } : { ts, ...fields };
}

export class AgentLine {
  readonly #options: AgentLineOptions;
  #agent: { agent: Agent; closing: AbortController } | undefined;
  /** A cut line does not end it, only the end of the power. */
  #keeper: SettingsKeeper | undefined;
  #gone: Promise<void> = Promise.resolve();
  #held: Sample[] = [];
  /** Samples of an agent that was disconnected before Weft had stored them. */
  #returned: Sample[] = [];
  #isOver = false;
  #waiting = 0;
  /** Configuration that the agent's record does not hold yet. */
  #news: Record<string, unknown> | undefined;

  constructor(options: AgentLineOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#agent !== undefined;
  }

  get isOnline(): boolean {
    return this.#agent?.agent.isConnected === true;
  }

  /** Whether it holds samples or configuration that Weft has not stored yet. */
  get hasWaiting(): boolean {
    return this.#held.length + this.#returned.length + this.#waiting > 0;
  }

  /** Connects as soon as Weft accepts the agent; samples wait until then. */
  open(): void {
    if (this.#agent) return;
    const opened = { agent: this.#createAgent(), closing: new AbortController() };
    this.#agent = opened;
    this.#held = [...this.#returned, ...this.#held];
    this.#returned = [];
    void this.#start(opened.agent, opened.closing.signal);
  }

  /** Resolves when the channel is closed for good; samples that were not stored by then are lost. */
  async end(graceMs: number): Promise<void> {
    this.#isOver = true;
    await this.close(graceMs);
    this.powerCut();
    this.#options.tally.lost += this.#held.length + this.#returned.length;
    this.#held = [];
    this.#returned = [];
  }

  /** Resolves when the channel is closed. Samples that were not stored by then wait until it is opened again. */
  close(graceMs = goodbyeMs): Promise<void> {
    if (!this.#agent) return this.#gone;
    this.flush();
    const { agent, closing } = this.#agent;
    this.#agent = undefined;
    closing.abort();
    this.#gone = agent.stop({ graceMs });
    return this.#gone;
  }

  /** What its agent was doing ends at once; only what is stored remains. */
  powerCut(): void {
    void this.#keeper?.stop();
    this.#keeper = undefined;
  }

  hold(sample: Sample): void {
    this.#held.push(sample);
    // After a cut line all that waited comes in one second, and only then the agent.
    if (this.#agent && this.#held.length >= maxSamplesPerReport) this.flush();
  }

  /** Sends what is held, in one report. */
  flush(): void {
    const { tally, maxWaitingReports } = this.#options;
    if (!this.#agent) {
      tally.lost += this.#held.splice(maxWaitingReports).length;
      return;
    }
    const samples = this.#held;
    if (samples.length === 0) return;
    this.#held = [];
    const count = samples.length;
    const [first, ...others] = samples.map(toReport);
    const news = this.#news;
    if (news) first!.configuration = news;
    this.#news = undefined;
    const wait = (more: number) => {
      tally.waiting += more;
      this.#waiting += more;
    };
    wait(count);
    this.#agent.agent.post(others.length === 0 ? first! : [first!, ...others]).then(
      () => {
        wait(-count);
        tally.stored += count;
      },
      (error) => {
        wait(-count);
        // Without a status the request never reached Weft.
        if (error instanceof WeftRefusal && error.status !== 0) tally.refused += count;
        else if (error instanceof WeftRefusal && error.code === 'stopped' && !this.#isOver) {
          this.#returned.push(...samples);
          this.#news ??= news;
        } else tally.lost += count;
      },
    );
  }

  async #start(agent: Agent, signal: AbortSignal): Promise<void> {
    const { logins, onTrouble } = this.#options;
    await this.#gone;
    while (!signal.aborted) {
      try {
        await logins.run(async () => {
          if (!signal.aborted) await agent.start();
        });
        return;
      } catch (error) {
        if (signal.aborted) return;
        onTrouble(error);
      }
      await pauseUnless(signal, unwantedPauseMs);
    }
  }

  #createAgent(): Agent {
    const { url, trustedCertificate, ap_id, password, maxWaitingReports, isDeaf, onTrouble } = this.#options;
    const { type, power_state, report_interval_seconds, metrics, commands } = this.#options.view();
    const agent = new Agent({
      url,
      trustedCertificate,
      ap_id,
      password,
      configuration: { access_point_type: type, report_interval_seconds, model: modelVersion, metrics },
      maxWaitingReports,
      isDeaf,
      backOff,
      onError: onTrouble,
      // A Weft from before devices leaves them out.
      onIgnored: ({ field, reason }) => {
        if (field !== 'devices') onTrouble(new Error(`Weft does not store ${field}: ${reason}`));
      },
    });
    for (const { name, parameter, params } of commands) {
      agent.command({ name, parameter, params }, (args, { command_id }) => this.#do({ command_id, name, args }));
    }
    // One whose time is over only sends what is left.
    if (power_state === 'down') return agent;
    this.#keeper ??= this.#createKeeper();
    return agent.settings(this.#keeper);
  }

  #createKeeper(): SettingsKeeper {
    const { view, settings } = this.#options;
    const { apply, running, storage } = settings;
    return new SettingsKeeper({
      declare: view().settings,
      apply: (given) => {
        const runs = apply(given);
        return Object.entries(given).every(([name, value]) => runs[name] === value) ? undefined : runs;
      },
      running,
      storage,
    });
  }

  #do({ command_id, name, args: given }: GivenCommand) {
    // What Weft adds for access points that must name the target's radios to the device.
    const { target_radios: _, ...args } = given;
    const command = { command_id, name, args };
    const result = this.#options.command(command);
    if (result.state === 'failed') throw toFailure(result);
    // The access point went away after it received the command: nobody is left to answer.
    if (result.state === 'unanswered') return new Promise<never>(() => {});
    if (command.name === 'set_report_interval') {
      this.#news = { report_interval_seconds: this.#options.view().report_interval_seconds };
    }
    return toOutcome(command, result);
  }
}

// What an agent tells Weft of a command that its access point has executed, or has not.

/** As IEEE 802.11 says it: there is no suitable candidate. */
const noCandidate = 7;

/** What holds now, where that is not what was asked for; for a device that was told to go, that it agreed. */
export function toOutcome(
  { name, args }: Pick<GivenCommand, 'name' | 'args'>,
  { applied, settles_in_seconds }: Extract<CommandResult, { state: 'succeeded' }>,
): CommandOutcome {
  const hasChanged = Object.entries(applied).some(([argument, value]) => args[argument] !== value);
  const chosen = args.device === undefined && { device: applied.device };
  const result =
    name === 'steer_device' ? { answer: 'accepted', ...chosen, settles_in_seconds } : { settles_in_seconds };
  return hasChanged ? { result, applied } : { result };
}

/** To be thrown. */
export function toFailure({ reason, answer }: Extract<CommandResult, { state: 'failed' }>): Error {
  if (answer === undefined) return new Error(reason);
  const code = answer === 'refused' ? { status_code: noCandidate } : {};
  return new CommandFailed(reason, { answer, ...code, detail: reason });
}
