// The thread in which the embedded telemetry store lives: takes calls from the server's thread one after the other and
// seals heads in between, so that no query and no sealing ever holds up a request.
import { parentPort, workerData } from 'node:worker_threads';
import { type EngineOptions, TelemetryEngine } from './telemetry-engine.ts';
import { FieldConflict, type Frame } from './telemetry-store.ts';

export type ThreadCall = { id: number } & (
  | { method: 'register'; args: Parameters<TelemetryEngine['register']> }
  | { method: 'commit'; args: Parameters<TelemetryEngine['commit']> }
  | { method: 'query'; args: Parameters<TelemetryEngine['query']> }
  | { method: 'rows'; args: Parameters<TelemetryEngine['rows']> }
  | { method: 'fields'; args: Parameters<TelemetryEngine['fields']> }
  | { method: 'latest'; args: Parameters<TelemetryEngine['latest']> }
  | { method: 'remove'; args: Parameters<TelemetryEngine['remove']> }
  | { method: 'prune'; args: Parameters<TelemetryEngine['prune']> }
  | { method: 'sealAll' | 'check' | 'close'; args: [] }
);

export type ThreadAnswer =
  | { id: number; result: unknown }
  | { id: number; conflict: { sampleIndex: number; field: string; reason: FieldConflict['reason'] } }
  | { id: number; failure: string; isPassing: boolean }
  | { damage: string; isUnfinishedEnd: boolean };

const port = parentPort!;
const options = workerData as Omit<EngineOptions, 'onDamage'>;
const engine = new TelemetryEngine({
  ...options,
  onDamage: (damage, isUnfinishedEnd) => port.postMessage({ damage, isUnfinishedEnd } satisfies ThreadAnswer),
});
port.postMessage({ id: 0, result: undefined } satisfies ThreadAnswer);

let isSealing = false;

port.on('message', (call: ThreadCall) => {
  try {
    const result = run(call);
    if (call.method === 'query' || call.method === 'rows') sendFrame(call.id, result as Frame);
    else port.postMessage({ id: call.id, result } satisfies ThreadAnswer);
  } catch (error) {
    port.postMessage(toAnswer(call.id, error));
  }
  if (call.method === 'close') port.close();
  else if (!isSealing) sealInBetween();
});

function run(call: ThreadCall): unknown {
  // Each method takes what its call carries; the compiler cannot follow that through a name.
  return (engine[call.method] as (...args: unknown[]) => unknown)(...call.args);
}

/** The columns change hands instead of being copied; those that are shared with the store's memory are copied first. */
function sendFrame(id: number, frame: Frame): void {
  const own = (values: Float64Array) => values.slice();
  const ts = own(frame.ts);
  const columns = new Map([...frame.columns].map(([name, values]) => [name, own(values)]));
  const result: Frame = { ...frame, ts, columns };
  port.postMessage({ id, result } satisfies ThreadAnswer, [ts.buffer, ...columns.values().map(({ buffer }) => buffer)]);
}

function sealInBetween(): void {
  isSealing = true;
  setImmediate(() => {
    isSealing = false;
    try {
      if (engine.sealOne()) sealInBetween();
    } catch (error) {
      // Nothing is lost: the rows stay in the journal and in memory, and the next call tries again.
      port.postMessage({
        damage: `sealing failed: ${(error as Error).message}`,
        isUnfinishedEnd: false,
      } satisfies ThreadAnswer);
    }
  });
}

function toAnswer(id: number, error: unknown): ThreadAnswer {
  if (error instanceof FieldConflict) {
    const { sampleIndex, field, reason } = error;
    return { id, conflict: { sampleIndex, field, reason } };
  }
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  // No space: it passes once somebody makes room. SQLite's own code for it is 13.
  const isPassing = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' || errcode === 13;
  return { id, failure: message, isPassing };
}
