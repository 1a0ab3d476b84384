// The store's own thread: handles the calls of the thread that opened it one after the other and seals heads in between,
// so that no query and no sealing ever blocks the caller's thread. While a commit waits for the disk, reads are answered;
// everything else waits with it.
import './closed-prototype.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { Engine, type EngineOptions } from './engine.ts';
import { returnMemoryAtRest } from './memory-at-rest.ts';
import { type PackedLatest, packFrame, packLatest } from './thread-messages.ts';
import { type Frame, type LatestValues, TooManyNames } from './time-series.ts';

export type ThreadCall = { id: number } & (
  | { method: 'register'; args: Parameters<Engine['register']> }
  | { method: 'commit'; args: [record: Uint8Array] }
  | { method: 'query'; args: Parameters<Engine['query']> }
  | { method: 'rows'; args: Parameters<Engine['rows']> }
  | { method: 'fields'; args: Parameters<Engine['fields']> }
  | { method: 'latest'; args: Parameters<Engine['latest']> }
  | { method: 'remove'; args: Parameters<Engine['remove']> }
  | { method: 'prune'; args: Parameters<Engine['prune']> }
  | { method: 'sealAll' | 'check' | 'close'; args: [] }
);

export type ThreadAnswer =
  | { id: number; result: unknown }
  | { id: number; oneTooMany: { sampleIndex: number; field: string } }
  | { id: number; failure: string; isTransient: boolean; isFull?: boolean }
  | { damage: string; isUnfinishedEnd: boolean }
  | { fatal: string };

/** After a failure sealing waits: a full disk does not get emptier by retries, and each costs time. */
const sealRetryMs = 1_000;
/** The same failure is reported once in this time, however many calls meet it. */
const reportEveryMs = 60_000;
/** Without a commit for this long nothing is kept in memory that blocks on disk can hold as well. */
const defaultRestMs = 5 * 60_000;
/** How much longer others wait beside a long query. */
const sliceMs = 1;
const sqliteIoError = 10;
const sqliteFull = 13;
/** SQLite's shared memory file cannot grow. */
const sqliteSharedMemoryFull = 4874;

const port = parentPort!;
const { restMs = defaultRestMs, ...options } = workerData as Omit<EngineOptions, 'onDamage' | 'onFlushFailed'> & {
  restMs?: number;
};
const engine = new Engine({
  ...options,
  onDamage: (damage, isUnfinishedEnd) => port.postMessage({ damage, isUnfinishedEnd } satisfies ThreadAnswer),
  onFlushFailed: ({ message }) =>
    port.postMessage({ fatal: `the tables could not be flushed: ${message}` } satisfies ThreadAnswer),
});
port.postMessage({ id: 0, result: undefined } satisfies ThreadAnswer);
// Heads that were sealed are all of its garbage, a few MiB, which the system's allocator does not give back once others lie between.
returnMemoryAtRest({ minGrowthBytes: 4 * 2 ** 20 });

let isSealScheduled = false;
let isCommitting = false;
const waiting: ThreadCall[] = [];
let nextSealAt = 0;
let lastCommitAt = performance.now();
let isAtRest = false;
/** At rest, until all is in blocks. */
let isSettling = false;
const reportedAt = new Map<string, number>();

setInterval(() => {
  if (isAtRest || performance.now() - lastCommitAt < restMs) return;
  isAtRest = true;
  isSettling = true;
  scheduleSeal();
}, restMs / 10).unref();

port.on('message', (call: ThreadCall) => {
  if (isCommitting && !isRead(call.method)) waiting.push(call);
  else handle(call);
});

function handle(call: ThreadCall): void {
  if (call.method === 'commit') {
    void commit(call);
    return;
  }
  if (call.method === 'query') {
    goOn(call, engine.querySteps(...call.args));
    return;
  }
  try {
    const result = run(call);
    if (call.method === 'rows') sendFrame(call.id, result as Frame);
    else if (call.method === 'latest') sendLatest(call.id, packLatest(result as LatestValues[]));
    else port.postMessage({ id: call.id, result } satisfies ThreadAnswer);
  } catch (error) {
    port.postMessage(toAnswer(call, error));
  }
  if (call.method === 'close') port.close();
  else if (!isCommitting) scheduleSeal();
}

/** A long query gives way to other calls again and again. */
function goOn(call: ThreadCall, steps: Generator<void, Frame>): void {
  try {
    for (const endMs = performance.now() + sliceMs; ; ) {
      const { done, value } = steps.next();
      if (done) {
        sendFrame(call.id, value);
        break;
      }
      if (performance.now() < endMs) continue;
      setImmediate(() => goOn(call, steps));
      return;
    }
  } catch (error) {
    port.postMessage(toAnswer(call, error));
  }
  if (!isCommitting) scheduleSeal();
}

async function commit(call: ThreadCall & { method: 'commit' }): Promise<void> {
  isCommitting = true;
  isAtRest = false;
  isSettling = false;
  lastCommitAt = performance.now();
  let isDurable = false;
  try {
    await engine.commit(...call.args, () => {
      isDurable = true;
      port.postMessage({ id: call.id, result: undefined } satisfies ThreadAnswer);
    });
  } catch (error) {
    if (isDurable) port.postMessage({ fatal: `what was stored cannot be read: ${(error as Error).message}` });
    else port.postMessage(toAnswer(call, error));
  }
  isCommitting = false;
  while (waiting.length > 0 && !isCommitting) handle(waiting.shift()!);
  if (!isCommitting) scheduleSeal();
}

function run(call: ThreadCall): unknown {
  // The arguments of a call fit its method; the compiler cannot follow that through the name.
  return (engine[call.method] as (...args: unknown[]) => unknown)(...call.args);
}

function sendFrame(id: number, frame: Frame): void {
  const result = packFrame(frame);
  port.postMessage({ id, result } satisfies ThreadAnswer, [result.numbers.buffer]);
}

function sendLatest(id: number, result: PackedLatest): void {
  const { counts, nameNumbers, ts, values } = result;
  port.postMessage({ id, result } satisfies ThreadAnswer, [
    counts.buffer,
    nameNumbers.buffer,
    ts.buffer,
    values.buffer,
  ]);
}

function scheduleSeal(): void {
  if (isSealScheduled || performance.now() < nextSealAt) return;
  isSealScheduled = true;
  setImmediate(() => {
    isSealScheduled = false;
    // The end of the commit schedules it again.
    if (isCommitting) return;
    try {
      if (isSettling ? engine.sealOldest() : engine.sealSome()) scheduleSeal();
      else if (isSettling) {
        isSettling = false;
        engine.emptyCaches();
      }
    } catch (error) {
      // Nothing is lost: the rows stay in the journal and in memory, and a later call tries again.
      nextSealAt = performance.now() + sealRetryMs;
      const { message } = error as Error;
      if (isIoError(error)) port.postMessage({ fatal: `sealing failed: ${message}` } satisfies ThreadAnswer);
      else reportDamage(`sealing failed: ${message}`);
    }
  });
}

function reportDamage(damage: string): void {
  const now = performance.now();
  if (now - (reportedAt.get(damage) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
  for (const [message, at] of reportedAt) if (now - at >= reportEveryMs) reportedAt.delete(message);
  reportedAt.set(damage, now);
  port.postMessage({ damage, isUnfinishedEnd: false } satisfies ThreadAnswer);
}

function toAnswer({ id, method }: ThreadCall, error: unknown): ThreadAnswer {
  if (error instanceof TooManyNames) {
    const { sampleIndex, field } = error;
    return { id, oneTooMany: { sampleIndex, field } };
  }
  const { message } = error as Error;
  // A failed read, or a damaged page with the names of one source, must not make the rest unusable.
  const isTransient = isNoSpace(error) || (method !== 'commit' && (isRead(method) || !isIoError(error)));
  if (isTransient)
    reportDamage(`${isRead(method) ? 'telemetry cannot be read' : 'telemetry cannot be stored'}: ${message}`);
  return { id, failure: message, isTransient, isFull: isNoSpace(error) };
}

function isRead(method: ThreadCall['method']): boolean {
  return method === 'query' || method === 'rows' || method === 'fields' || method === 'latest' || method === 'check';
}

/** Goes away once somebody frees space. */
function isNoSpace(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  const isFull = errcode === sqliteFull || errcode === sqliteSharedMemoryFull;
  return isFull || code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

/** A flush may have failed: then it is unknown what is on disk. */
function isIoError(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return errcode % 256 === sqliteIoError && !isNoSpace(error);
}
