// Ten thousand events of recent samples, a thousand bytes each, that everybody has read.
import { RecentSamples } from '../../../controller/src/core/telemetry/live/recent-samples.ts';
import { youngCollector } from './fresh-heap.ts';

export function measure(): number {
  const recent = new RecentSamples(2_000_000);
  const collectYoung = youngCollector();
  const read = (from: number, to: number) => {
    for (let ts = from; ts < to; ts++) {
      recent.append('ap', { ts, names: ['a'], values: [ts], texts: [] }, ts);
      recent.get(ts)!.event = Buffer.alloc(1_000, String(ts)).toString('latin1');
    }
    collectYoung();
  };
  // What holds them grows old, too, while nobody reads.
  read(1, 1_000);
  collectYoung();
  collectYoung();
  const before = process.memoryUsage().heapUsed;
  for (let from = 1_000; from < 11_000; from += 1_000) read(from, from + 1_000);
  return process.memoryUsage().heapUsed - before;
}
