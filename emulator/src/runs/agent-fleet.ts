// The agents of one emulated network: connects and disconnects them as the access points come and go, and sends their
// samples.

import { setTimeout as pause } from 'node:timers/promises';
import type { EmulatorTask } from '@weft/contract';
import { Semaphore } from '@weft/contract/semaphore';
import type { Sample } from '../access-points/sample.ts';
import { AgentLine, type SampleTally } from './agent-line.ts';
import type { EmulatedRun } from './emulated-run.ts';

const loginsAtOnce = 32;
/** Of all agents together: what waits for Weft is in memory. */
const maxWaitingSamples = 120_000;
const waitingReports = { least: 30, most: 3_600 };
const lookEveryMs = 50;

export interface AgentFleetOptions {
  task: EmulatorTask;
  run: EmulatedRun;
  url: string;
  trustedCertificate: string | undefined;
  /** How many samples go into one report of an agent, about. */
  samplesPerReport: number;
  onTrouble: (error: unknown) => void;
}

export class AgentFleet {
  readonly tally: SampleTally = { stored: 0, refused: 0, lost: 0, waiting: 0 };
  readonly #run: EmulatedRun;
  readonly #lines: Map<string, AgentLine>;

  constructor({ task, run, url, trustedCertificate, samplesPerReport, onTrouble }: AgentFleetOptions) {
    this.#run = run;
    const logins = new Semaphore(loginsAtOnce);
    const share = Math.floor(maxWaitingSamples / task.agents.length / samplesPerReport);
    const maxWaitingReports = Math.min(waitingReports.most, Math.max(waitingReports.least, share));
    const shared = { url, trustedCertificate, maxWaitingReports, logins, tally: this.tally, onTrouble };
    this.#lines = new Map(
      task.agents.map(({ ap_id, password }) => [
        ap_id,
        new AgentLine({
          ...shared,
          ap_id,
          password,
          view: () => run.world.accessPoint(ap_id),
          isDeaf: () => !run.isActive(ap_id) || run.world.isDeaf(ap_id),
          command: (command) => run.command(ap_id, command),
          settings: {
            apply: (settings) => run.configure(ap_id, settings),
            running: () => run.world.settingsOf(ap_id),
            storage: run.storageOf(ap_id),
          },
        }),
      ]),
    );
  }

  get online(): number {
    return this.#count((line) => line.isOnline);
  }

  /** Whether some agents that should be online are not connected yet. */
  get isComingUp(): boolean {
    return this.#count((line) => line.isOpen && !line.isOnline) > 0;
  }

  /** How many samples were stored, refused or lost. */
  get samples(): { samples: number; samples_lost: number } {
    const { stored, refused, lost } = this.tally;
    return { samples: stored, samples_lost: refused + lost };
  }

  /** Weft is there, but does not keep up: more samples would only be lost. */
  get isCongested(): boolean {
    return this.tally.waiting > maxWaitingSamples / 2 && this.online > 0;
  }

  /** Connects an agent for each access point that is reachable, and disconnects the others once they have nothing to send. */
  follow(): void {
    for (const [ap_id, line] of this.#lines) {
      if (!this.#run.world.isUp(ap_id)) line.powerCut();
      if (!this.#run.isActive(ap_id)) {
        if (line.hasWaiting) line.open();
        else void line.close();
      } else if (this.#run.world.isReachable(ap_id) && !this.#run.isCatchingUp(ap_id)) line.open();
      else void line.close();
    }
  }

  hold(samples: readonly Sample[]): void {
    for (const sample of samples) this.#lines.get(sample.ap_id)!.hold(sample);
  }

  flush(): void {
    for (const line of this.#lines.values()) line.flush();
  }

  /** Resolves when nothing waits for Weft any more, or after that time. */
  async settle(timeoutMs: number, signal: AbortSignal, everyMs = lookEveryMs): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (this.tally.waiting > 0 && performance.now() < until && !signal.aborted) await pause(everyMs);
  }

  /** Resolves when all channels are closed. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.end(graceMs)));
  }

  #count(isCounted: (line: AgentLine) => boolean): number {
    let count = 0;
    for (const line of this.#lines.values()) if (isCounted(line)) count++;
    return count;
  }
}
