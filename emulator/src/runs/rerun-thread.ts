// Repeats the hours of a run in its own thread, so that the run is not delayed; says now and then how far it has come.
import '@weft/contract/closed-prototype';
import { parentPort, workerData } from 'node:worker_threads';
import { type RerunOptions, rerun } from './rerun.ts';

export interface RerunThreadOptions extends Omit<RerunOptions, 'programOf' | 'mayGoOn'> {
  /** Who sent which commands. */
  programs: [program: string, command_ids: string[]][];
  budgetMs: number;
}

const sayEveryMs = 250;
const { programs, budgetMs, ...options } = workerData as RerunThreadOptions;
const senders = new Map(programs.flatMap(([program, ids]) => ids.map((id) => [id, program] as const)));
const startedAtMs = performance.now();
let saidAtMs = startedAtMs;

function mayGoOn(progress: number): boolean {
  const nowMs = performance.now();
  if (nowMs - saidAtMs >= sayEveryMs) {
    saidAtMs = nowMs;
    parentPort!.postMessage({ progress });
  }
  return nowMs - startedAtMs < budgetMs;
}

try {
  parentPort!.postMessage({ found: rerun({ ...options, programOf: (id) => senders.get(id), mayGoOn }) });
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  parentPort!.postMessage({ error: { code: 'rerun_too_long', detail: error.message } });
}
