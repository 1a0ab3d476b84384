// Keeps a run in step with its clock: as many seconds of the model as are due, their samples to the agents, the state to
// the disk now and then; and in between the thread is free for commands and requests.

import { setImmediate as turn } from 'node:timers/promises';
import type { EmulatorTask } from '@weft/contract';
import { pauseUnless } from '@weft/contract/pause';
import type { AgentFleet } from './agent-fleet.ts';
import type { EmulatedRun } from './emulated-run.ts';
import type { ModelClock } from './model-clock.ts';
import type { RunFiles } from './run-files.ts';
import type { RunStatus } from './run-messages.ts';
import type { RunProblem } from './thread-queue.ts';

/** With more speed several seconds are done at once, and reported at once. */
export const leastTickMs = 250;
/** While the model is behind, samples wait no longer than this for others of their agent. */
const holdMs = 500;
const shortStepMs = 5;
const congestedPauseMs = 50;
const longestPauseMs = 1_000;
const saveEveryMs = 30_000;
/** How long a step waits for commands that are under way, and for its reports; and how often it looks. */
const commandsWithinMs = 30_000;
const reportsWithinMs = 100_000;
const lookAgainMs = 2;
const tellEveryMs = 500;
const maxFaultsTold = 100;
/** How long the end of a run waits for samples that Weft does not take. */
const lastSamplesMs = 20_000;
/** Weight of the newest in the mean cost of a step. */
const newestWeight = 0.1;

export interface RunLoopOptions {
  task: EmulatorTask;
  run: EmulatedRun;
  clock: Pick<ModelClock, 'dueSecond' | 'msUntil' | 'lateBySeconds'>;
  fleet: AgentFleet;
  files: RunFiles | undefined;
  onStatus: (status: RunStatus) => void;
  onTrouble: (error: unknown) => void;
}

/** A command that Weft has for an access point. */
export interface SentCommand {
  ap_id: string;
  command_id: string;
}

export type StepResult = { model_time: string; second: number; ended: boolean } | RunProblem;

export class RunLoop {
  readonly #options: RunLoopOptions;
  /** What one second of the model costs, on a busy machine too. */
  #stepMs = 0;
  #flushedAtMs = 0;
  #savedAtMs = performance.now();
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #delivered: { second: number; bits: number; mbps: number };

  constructor(options: RunLoopOptions) {
    this.#options = options;
    const { run } = options;
    this.#delivered = { second: run.second, bits: run.world.totals().deliveredBits, mbps: 0 };
  }

  /** How long a processor computes one second of the model, in milliseconds. */
  get stepMs(): number {
    return this.#stepMs;
  }

  /** Resolves when the run is over and its samples are stored, or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { run, fleet, clock } = this.#options;
    while (!signal.aborted && !run.isOver) {
      const startedAtMs = performance.now();
      await this.#catchUp(signal);
      fleet.flush();
      this.#tell();
      this.#saveInTime();
      const dueInMs = clock.msUntil(run.second + 1);
      const tickEndsInMs = startedAtMs + leastTickMs - performance.now();
      if (!run.isOver) await pauseUnless(signal, Math.min(longestPauseMs, Math.max(0, dueInMs, tickEndsInMs)));
    }
    if (signal.aborted) return;
    await fleet.settle(lastSamplesMs, signal);
  }

  /**
   * For a run that stands still in between: so many seconds pass, once the access points have taken the commands that were
   * sent before. Resolves when all they report is stored, or with what came in between.
   */
  async step(seconds: number, sent: readonly SentCommand[], signal: AbortSignal): Promise<StepResult> {
    const { run, fleet } = this.#options;
    const until = performance.now() + commandsWithinMs;
    while (!sent.every(({ ap_id, command_id }) => run.hasTaken(ap_id, command_id))) {
      if (signal.aborted || performance.now() > until) {
        return {
          error: { code: 'commands_not_taken', detail: 'A command has not come to its access point; try again' },
        };
      }
      await pauseUnless(signal, lookAgainMs);
    }
    run.allow(seconds);
    await this.#catchUp(signal);
    fleet.flush();
    await fleet.settle(reportsWithinMs, signal, lookAgainMs);
    // Whatever is told next is not of the time before the step.
    this.#toldAtMs = Number.NEGATIVE_INFINITY;
    this.#tell();
    this.#saveInTime();
    if (fleet.tally.waiting > 0) {
      return {
        error: { code: 'reports_not_taken', detail: 'Weft has not taken all reports yet; the time has passed' },
      };
    }
    return { model_time: new Date(run.world.time).toISOString(), second: run.second, ended: run.isOver };
  }

  status(): RunStatus {
    const { task, run, fleet, clock } = this.#options;
    const { devices, served, powerW, deliveredBits } = run.world.totals();
    const seconds = run.second - this.#delivered.second;
    if (seconds > 0) {
      const mbps = (deliveredBits - this.#delivered.bits) / seconds / 1e6;
      this.#delivered = { second: run.second, bits: deliveredBits, mbps };
    }
    // An access point whose time is over is off by a fault of its own.
    const faults = run.world.faults
      .filter(({ ap_id }) => run.isActive(ap_id))
      .slice(0, maxFaultsTold)
      .map(({ ap_id, kind, untilMs }) => ({ agent_id: ap_id, kind, until: new Date(untilMs).toISOString() }));
    return {
      ...(faults.length > 0 && { faults }),
      model_time: new Date(run.world.time).toISOString(),
      access_points: task.agents.length,
      agents_online: fleet.online,
      devices,
      served,
      power_w: Math.round(powerW * 10) / 10,
      delivered_mbps: Math.round(this.#delivered.mbps * 1000) / 1000,
      ...fleet.samples,
      late_by_seconds: clock.lateBySeconds(run.second),
      progress: Math.min(1, run.second / run.duration),
      isComingUp: fleet.isComingUp,
    };
  }

  /** Resolves once the state is on the disk. */
  async save(): Promise<void> {
    const { files, run } = this.#options;
    this.#savedAtMs = performance.now();
    await files?.save(run.snapshot());
  }

  /** Steps through the seconds that are due, and yields to the event loop after each. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const { run, fleet, clock } = this.#options;
    while (!signal.aborted && run.second < clock.dueSecond) {
      if (fleet.isCongested) {
        await pauseUnless(signal, congestedPauseMs);
        continue;
      }
      const before = process.threadCpuUsage();
      fleet.hold(run.advance());
      this.#measure(process.threadCpuUsage(before));
      fleet.follow();
      if (performance.now() - this.#flushedAtMs > holdMs) {
        this.#flushedAtMs = performance.now();
        fleet.flush();
        this.#tell();
        this.#saveInTime();
      }
      await this.#breathe(signal);
    }
  }

  /** Agents that connect need many turns of the event loop; one between two long steps would make them wait for minutes. */
  async #breathe(signal: AbortSignal): Promise<void> {
    if (this.#stepMs > shortStepMs && this.#options.fleet.isComingUp) await pauseUnless(signal, this.#stepMs / 2);
    else await turn();
  }

  #measure({ user, system }: NodeJS.CpuUsage): void {
    const ms = (user + system) / 1000;
    this.#stepMs = this.#stepMs === 0 ? ms : this.#stepMs + newestWeight * (ms - this.#stepMs);
  }

  #tell(): void {
    if (performance.now() - this.#toldAtMs < tellEveryMs) return;
    this.#toldAtMs = performance.now();
    this.#options.onStatus(this.status());
  }

  #saveInTime(): void {
    if (!this.#options.files || performance.now() - this.#savedAtMs < saveEveryMs) return;
    this.save().catch(this.#options.onTrouble);
  }
}
