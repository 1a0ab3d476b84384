// The sums of the fleet, kept fresh. A small fleet's past is read from the server; a large one's begins when the dashboard is
// opened, because reading it would cost a question for every agent.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { LatestMetrics } from '../../api/operations.ts';
import { fleetPollMs } from '../../data/fleet.ts';
import { now } from '../../data/freshness.ts';
import { toServerTime } from '../../data/server-clock.ts';
import { useOperation } from '../../data/use-operation.ts';
import { session } from '../../session/session.ts';
import {
  type SumSample,
  type Sums,
  type SumTrend,
  stepOf,
  sumLatest,
  summedMetrics,
  sumSeries,
  toTrend,
} from './fleet-sums.ts';

const maxBackfilled = 40;
const lanes = 4;
const refreshMs = 300_000;
const maxSeen = 3600;

/** What was seen since the dashboard was opened; it outlives the page. */
let seen: SumSample[] = [];
let seenBy: string | undefined;

export interface FleetSums {
  /** Undefined until the first answer. */
  latest: LatestMetrics['agents'] | undefined;
  sums: Sums | undefined;
  trend: SumTrend | undefined;
  /** False: the past goes back only to when the dashboard was opened. */
  isWhole: boolean;
}

export function useFleetSums(agents: readonly { ap_id: string }[] | undefined, windowSeconds: number): FleetSums {
  const { data, updatedAt } = useOperation(
    'metrics_latest',
    { query: { metrics: [...summedMetrics] } },
    { pollMs: ({ agents: all }) => fleetPollMs(all.length), isWanted: (agents?.length ?? 0) > 0 },
  );
  const sums = useMemo(() => data && sumLatest(data.agents), [data]);
  useEffect(() => {
    if (sums) note({ time: toServerTime(updatedAt) / 1000, sums });
  }, [updatedAt]);
  const names = useMemo(() => agents?.map(({ ap_id }) => ap_id) ?? [], [agents?.length, agents?.[0]?.ap_id]);
  const stored = useStored(names, windowSeconds);
  const trend = useMemo(() => {
    if (!sums) return undefined;
    const step = stored?.step ?? stepOf(windowSeconds, undefined);
    return toTrend(stored?.bins ?? new Map(), seen, { windowSeconds, step, now: toServerTime(updatedAt) / 1000 });
  }, [sums, stored, windowSeconds, updatedAt]);
  return { latest: data?.agents, sums, trend, isWhole: names.length <= maxBackfilled };
}

function note(sample: SumSample): void {
  const username = session.peek()?.username;
  if (username !== seenBy) seen = [];
  seenBy = username;
  if (seen.at(-1)?.time !== sample.time) seen = [...seen, sample].slice(-maxSeen);
}

interface Stored {
  key: string;
  step: number;
  bins: Map<number, Sums>;
}

function useStored(names: readonly string[], windowSeconds: number): Stored | undefined {
  const [stored, setStored] = useState<Stored | undefined>(undefined);
  const isAffordable = names.length > 0 && names.length <= maxBackfilled;
  // Read again now and then: while the page was hidden nothing was seen.
  const turn = Math.floor(now.peek() / refreshMs);
  const key = `${windowSeconds} ${names.join(' ')}`;
  useEffect(() => {
    if (!isAffordable) return;
    const stop = new AbortController();
    readAll(names, windowSeconds, stop.signal).then(
      (found) => setStored({ key, ...found }),
      // The live end goes on without a past.
      () => {},
    );
    return () => stop.abort();
  }, [key, isAffordable, turn]);
  return stored?.key === key ? stored : undefined;
}

async function readAll(names: readonly string[], windowSeconds: number, signal: AbortSignal) {
  const waiting = [...names];
  const answers: Awaited<ReturnType<typeof readOne>>[] = [];
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      answers.push(await readOne(name, windowSeconds, signal));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  const step = stepOf(
    windowSeconds,
    Math.max(0, ...answers.map(({ resolution_seconds = 0 }) => resolution_seconds)) || undefined,
  );
  return {
    step,
    bins: sumSeries(
      answers.map(({ series }) => series),
      step,
    ),
  };
}

function readOne(agent: string, windowSeconds: number, signal: AbortSignal) {
  const query = { agent, metrics: [...summedMetrics], window: `${windowSeconds}s`, max_points: 60 };
  return call('metrics_agent_multi_metric_data', { query }, { signal });
}
