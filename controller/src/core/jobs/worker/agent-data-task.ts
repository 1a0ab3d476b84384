// The work behind #23: the telemetry of one agent between two times, as records in the order of time. An end that lies
// ahead when it is asked for makes it a live subscription.
import {
  type AgentDataRange,
  AgentSource,
  type AgentSourceOptions,
  isSubscription,
  parseAgentDataTask,
  parseRecords,
  progressAt,
} from './agent-data-source.ts';
import type { JobRun, JobTask } from './job-run.ts';
import type { LiveSubscriptions } from './live-subscription.ts';
import { type RecordChunk, RecordChunks, type RecordPosition } from './record-chunks.ts';

export function createAgentDataTask(options: AgentSourceOptions & { subscriptions: LiveSubscriptions }): JobTask {
  return async (run) => {
    const range = parseAgentDataTask(run.job);
    const source = new AgentSource(run, range.ap_id, options);
    if (isSubscription(run.job)) await options.subscriptions.run(run, range, source);
    else await sendStored(run, range, source);
  };
}

/** The next chunk is made while the one before is on its way; the last one is known to be it only when nothing follows. */
async function sendStored(run: JobRun, range: AgentDataRange, source: AgentSource): Promise<void> {
  const last = await run.resume();
  const position = last && parseRecords(last.data).at(-1);
  let posting: Promise<void> = Promise.resolve();
  let held: RecordChunk | undefined;
  for await (const chunk of storedChunks(range, position, source)) {
    await posting;
    if (held) {
      posting = run.post(held.text, { progress: progressAt(range, held.last.ts) });
      // It is awaited before anything else happens; until then nobody may call it unhandled.
      posting.catch(() => {});
    }
    held = chunk;
  }
  await posting;
  await run.post(held?.text ?? '[]', { final: true, progress: 1 });
}

async function* storedChunks(
  range: AgentDataRange,
  position: RecordPosition | undefined,
  source: AgentSource,
): AsyncGenerator<RecordChunk> {
  const chunks = new RecordChunks();
  const isNew = position && ((ts: number, series: string) => ts > position.ts || series > position.series);
  const { endMs } = range;
  for (let from = position?.ts ?? range.startMs, isFirst = true; from <= endMs; isFirst = false) {
    const { frame, hasMore } = await source.page({ startMs: from, endMs });
    yield* chunks.add(frame, isFirst ? isNew : undefined);
    if (!hasMore) break;
    from = frame.ts.at(-1)! + 1;
  }
  const rest = chunks.take();
  if (rest) yield rest;
}
