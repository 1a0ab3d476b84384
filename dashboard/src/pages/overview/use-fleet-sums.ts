// The sums of the fleet, kept fresh. The past is read from the server agent by agent: of a large fleet only a part is
// read, and stands for all in the trend. Energy is then counted from when the dashboard was opened.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call, type LatestMetrics } from '../../api/client.ts';
import { batchesOf, fitsAddress } from '../../data/agents.ts';
import { fleetPollMs } from '../../data/fleet.ts';
import { now, serverNow, toServerTime } from '../../data/freshness.ts';
import { useOperation } from '../../data/use-operation.ts';
import { session } from '../../session/session.ts';
import { type Drawn, drawnOf, drawnSince, EnergyMeter, energyMetric, readingsOf } from './fleet-energy.ts';
import {
  type SumSample,
  type Sums,
  type SumTrend,
  sampleOf,
  stepOf,
  sumLatest,
  summedMetrics,
  sumSeries,
  toTrend,
} from './fleet-sums.ts';

const maxRead = 100;
const readMetrics = [...summedMetrics, energyMetric];
const refreshMs = 300_000;
const maxSeen = 3600;

/** What was seen since the dashboard was opened; it outlives the page. */
let seen: SumSample[] = [];
let meter = new EnergyMeter();
/** By look, as long as the samples. */
let drawn: Drawn[] = [];
let seenBy: string | undefined;

export interface FleetSums {
  /** Undefined until the first answer. */
  latest: LatestMetrics['agents'] | undefined;
  sums: Sums | undefined;
  trend: SumTrend | undefined;
  /** In watt hours, over the window; undefined until it is known. */
  energyInWindow: number | undefined;
  /** False: only a part of the fleet's past is read, and energy is known only since the dashboard was opened. */
  isWhole: boolean;
  /** In watt hours, since the dashboard was opened. */
  energySinceOpening: number;
}

export function useFleetSums(agents: readonly { ap_id: string }[] | undefined, windowSeconds: number): FleetSums {
  const { data, updatedAt } = useOperation(
    'metrics_latest',
    { query: { metrics: readMetrics } },
    { pollMs: ({ agents: all }) => fleetPollMs(all.length), isWanted: (agents?.length ?? 0) > 0 },
  );
  const sums = useMemo(() => data && sumLatest(data.agents), [data]);
  useEffect(() => {
    if (sums) note({ time: toServerTime(updatedAt) / 1000, sums }, data?.agents ?? []);
  }, [updatedAt]);
  const names = useMemo(() => agents?.map(({ ap_id }) => ap_id) ?? [], [agents?.length, agents?.[0]?.ap_id]);
  const stored = useStored(names, windowSeconds);
  const trend = useMemo(() => {
    if (!sums) return undefined;
    const step = stored?.step ?? stepOf(windowSeconds, undefined);
    return toTrend(stored?.bins ?? new Map(), seen, { windowSeconds, step, now: toServerTime(updatedAt) / 1000 });
  }, [sums, stored, windowSeconds, updatedAt]);
  const from = toServerTime(updatedAt) / 1000 - windowSeconds;
  const energyInWindow = stored?.drawn && drawnSince(stored.drawn, from) + drawnSince(drawn, Math.max(from, stored.at));
  return {
    latest: data?.agents,
    sums,
    trend,
    energyInWindow,
    energySinceOpening: meter.wattHours,
    isWhole: names.length <= maxRead,
  };
}

function note(sample: SumSample, agents: LatestMetrics['agents']): void {
  const username = session.peek()?.username;
  if (username !== seenBy) {
    seen = [];
    drawn = [];
    meter = new EnergyMeter();
  }
  seenBy = username;
  if (seen.at(-1)?.time === sample.time) return;
  seen = [...seen, sample].slice(-maxSeen);
  drawn = [...drawn, { time: sample.time, wattHours: meter.note(readingsOf(agents)) }].slice(-maxSeen);
}

interface Stored {
  key: string;
  step: number;
  bins: Map<number, Sums>;
  /** When it was read. */
  at: number;
  /** What was drawn until then; undefined if only a part of the fleet was read. */
  drawn: Drawn[] | undefined;
}

function useStored(names: readonly string[], windowSeconds: number): Stored | undefined {
  const [stored, setStored] = useState<Stored | undefined>(undefined);
  const isWanted = names.length > 0;
  // Read again now and then: while the page was hidden nothing was seen.
  const turn = Math.floor(now.peek() / refreshMs);
  const key = `${windowSeconds} ${names.join(' ')}`;
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    readAll(names, windowSeconds, stop.signal).then(
      (found) => setStored({ key, ...found }),
      // The live end goes on without a past.
      () => {},
    );
    return () => stop.abort();
  }, [key, isWanted, turn]);
  return stored?.key === key ? stored : undefined;
}

async function readAll(names: readonly string[], windowSeconds: number, signal: AbortSignal) {
  const { sample, weight } = sampleOf(names, maxRead);
  const query = { metrics: readMetrics, window: `${windowSeconds}s`, max_points: 60 };
  const parts = await Promise.all(
    batchesOf(sample, fitsAddress).map((agents) => call('metrics_series', { query: { ...query, agents } }, { signal })),
  );
  const answers = parts.flatMap(({ agents }) => agents);
  const step = stepOf(
    windowSeconds,
    Math.max(0, ...answers.map(({ resolution_seconds = 0 }) => resolution_seconds)) || undefined,
  );
  const all = answers.map(({ series }) => series);
  return {
    step,
    bins: sumSeries(all, step, weight),
    at: serverNow() / 1000,
    drawn:
      weight === 1
        ? answers.flatMap(({ series, resolution_seconds }) => drawnOf(series, resolution_seconds))
        : undefined,
  };
}
