// Does anything grow in hours of mixed load: memory, descriptors, disk, the delay of the event loop? `npm run soak` runs for two
// hours in all (`--minutes 30`); Ctrl+C stops it, and the next call goes on with the same data. `--fresh` begins anew.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keep } from './harness/results.ts';
import { type SoakSample, soak } from './harness/soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    folder: { type: 'string', default: join(import.meta.dirname, '../node_modules/.cache/weft-soak') },
    fresh: { type: 'boolean', default: false },
  },
});
if (values.fresh) rmSync(values.folder, { recursive: true, force: true });
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
const { minutes, samples, problems } = await soak(values.folder, Number(values.minutes), stopping.signal);

const show = ({ memoryMiB, descriptors, diskMiB, lagMs, points }: SoakSample) =>
  `${memoryMiB.toFixed(0)} MiB, ${descriptors} descriptors, ${diskMiB.toFixed(0)} MiB on disk, event loop p99 ${lagMs.toFixed(0)} ms, ${points} points`;
/** A tenth of the run each. */
const shown = samples.filter(
  (_, index) => index % Math.ceil(samples.length / 10) === 0 || index === samples.length - 1,
);
keep('soak', [
  ...shown.map((sample) => ({
    question: `after ${sample.minutes.toFixed(1)} minutes, start ${sample.start}`,
    value: show(sample),
  })),
  {
    question: `${minutes.toFixed(1)} minutes`,
    value: problems.join('; ') || 'nothing grew',
    goal: 'nothing grows',
    ok: problems.length === 0,
  },
]);
process.exit(problems.length === 0 ? 0 : 1);
