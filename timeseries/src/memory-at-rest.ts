// Gives memory back while a thread has little to do. V8 collects when it needs room, not when it has time: after a start
// or a busy hour it keeps what that needed, young generation and garbage, for as long as nothing more is asked of it.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface RestOptions {
  /** How often is looked whether the thread rests. */
  everyMs?: number;
  /** Rests: took no more than this share of a core since the last look. */
  maxShare?: number;
  /** Growth of the heap and of buffers outside of it since the last collection that is worth another one. */
  minGrowthBytes?: number;
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Of the thread that calls it. Keeps no process alive. */
export function returnMemoryAtRest({
  everyMs = 10_000,
  maxShare = 0.03,
  minGrowthBytes = 16 * 2 ** 20,
}: RestOptions = {}): void {
  let collect: Collect | undefined;
  let collectedBytes = 0;
  let last = { at: performance.now(), cpuMs: cpuMs() };
  setInterval(() => {
    const now = { at: performance.now(), cpuMs: cpuMs() };
    const isAtRest = now.cpuMs - last.cpuMs <= maxShare * (now.at - last.at);
    last = now;
    if (!isAtRest || heldBytes() < collectedBytes + minGrowthBytes) return;
    collect ??= collector();
    // Takes 50 to 100 ms, when nearly nobody asks for anything. Only this kind shrinks the young generation.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    collectedBytes = heldBytes();
    last = { at: performance.now(), cpuMs: cpuMs() };
  }, everyMs).unref();
}

function heldBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
