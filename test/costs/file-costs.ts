// What a test file costs. Time by the clock depends on what else the machine does; processor time does not.
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the report is. */
export const costsFolder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'weft-test-costs');

/** Each test process of this run writes there a line of JSON for each file that it ran. */
export const linesFolder = () => join(costsFolder, process.env.WEFT_TEST_RUN ?? 'run');

export interface FileCosts {
  file: string;
  /** Seconds of processor time: of this process, of all that it started, and of all until the file was read. */
  own: number;
  children: number;
  importing: number;
  /** Seconds by the clock. */
  elapsed: number;
  /** How many of each were started, such as `server`. */
  counts: Record<string, number>;
}

export const counts: Record<string, number> = {};

/** Called by fixtures that start something expensive. */
export function countCost(what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

/** Processor time of daemons, which are nobody's children, that were stopped. */
export const stopped = { seconds: 0 };

/** Called before a daemon is stopped. */
export function countStopped(pid: number): void {
  stopped.seconds += treeSeconds(pid);
}

/** How many processes this one has started and not seen end. */
let alive = 0;
subscribe('child_process', (message) => {
  alive++;
  (message as { process: ChildProcess }).process.once('exit', () => alive--);
});

/** Of this process and all below it. To look at all processes of the machine takes 5 ms, which would be done twice for each file. */
export function ownTreeSeconds(): number {
  return alive > 0 ? treeSeconds(process.pid) : ticksOf('self').ticks / 100;
}

/** Processor time of a process, with that of its children that have ended. */
function ticksOf(pid: string): { parent: number; ticks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1]!, ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0) };
}

/** Processor time of a process and of all below it, whether those have ended or not. */
export function treeSeconds(root: number): number {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      processes.set(Number(name), ticksOf(name));
    } catch {
      // It has ended.
    }
  }
  let ticks = 0;
  for (const [pid, each] of processes) {
    let above = pid;
    while (above > 1 && above !== root) above = processes.get(above)?.parent ?? 0;
    if (above === root) ticks += each.ticks;
  }
  return ticks / 100;
}
