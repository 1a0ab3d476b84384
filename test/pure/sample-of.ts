// A sample of an agent, written briefly.
import type { Sample } from '../../controller/src/core/telemetry/store/telemetry-store.ts';

export function sampleOf(ts: number, metrics: Record<string, number>, texts: Record<string, string> = {}): Sample {
  return { ts, names: Object.keys(metrics), values: Object.values(metrics), texts: Object.entries(texts) };
}
