// The embedded backend of the telemetry store: the package @weft/timeseries, whose sources are the agents.
import { openTimeSeries, type StoreUnavailable, type TimeSeriesOptions } from '@weft/timeseries';
import { TryLaterError } from '../../errors.ts';
import type { TelemetryStore } from './telemetry-store.ts';

export interface EmbeddedTelemetryStore extends TelemetryStore {
  /** Moves everything from memory and journal into blocks. */
  sealAll(): Promise<void>;
}

/** Resolves once everything that was stored before is there again. */
export async function openEmbeddedTelemetry(
  options: Omit<TimeSeriesOptions, 'toError'>,
): Promise<EmbeddedTelemetryStore> {
  const series = await openTimeSeries({ ...options, toError });
  return {
    append: (ap_id, samples) => series.append(ap_id, samples),
    query: ({ ap_id, ...query }) => series.query({ source: ap_id, ...query }),
    fields: (ap_id, sinceMs) => series.fields(ap_id, sinceMs),
    latest: async (ap_ids) => (await series.latest(ap_ids)).map(({ source, metrics }) => ({ ap_id: source, metrics })),
    rows: (ap_id, range, limit, metrics) => series.rows(ap_id, range, limit, metrics),
    remove: (ap_id) => series.remove(ap_id),
    prune: (nowMs) => series.prune(nowMs),
    check: () => series.check(),
    sealAll: () => series.sealAll(),
    close: () => series.close(),
  };
}

function toError({ reason, cause }: StoreUnavailable): TryLaterError {
  if (reason === 'busy') {
    return new TryLaterError(503, 'telemetry_busy', 'More telemetry arrives than can be stored; try again shortly', 1);
  }
  return new TryLaterError(503, 'telemetry_unavailable', 'Telemetry cannot be stored or read right now', 2, { cause });
}
