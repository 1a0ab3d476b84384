// The embedded backend of the telemetry store: the package @weft/timeseries, whose sources are the agents.
import { openTimeSeries, type StoreUnavailable, type TimeSeriesOptions } from '@weft/timeseries';
import { TryLaterError } from '../../base/errors.ts';
import { diskFull } from '../../base/storage/write-probe.ts';
import type { TelemetryStore } from './telemetry-store.ts';

export interface EmbeddedTelemetryStore extends TelemetryStore {
  /** Moves everything from memory and journal into blocks. */
  sealAll(): Promise<void>;
}

/** Resolves once everything that was stored before is there again. */
export async function openEmbeddedTelemetry(
  options: Omit<TimeSeriesOptions, 'toError'>,
): Promise<EmbeddedTelemetryStore> {
  let isDamaged = false;
  const series = await openTimeSeries({
    ...options,
    toError,
    onDamage(message, isUnfinishedEnd) {
      isDamaged ||= !isUnfinishedEnd;
      options.onDamage(message, isUnfinishedEnd);
    },
  });
  return {
    append: series.append.bind(series),
    query: ({ ap_id, ...query }) => series.query({ source: ap_id, ...query }),
    fields: series.fields.bind(series),
    latest: async (ap_ids) => (await series.latest(ap_ids)).map(({ source, metrics }) => ({ ap_id: source, metrics })),
    rows: series.rows.bind(series),
    remove: series.remove.bind(series),
    prune: series.prune.bind(series),
    check: series.check.bind(series),
    warnings: () => (isDamaged ? ['telemetry_damaged'] : []),
    sealAll: series.sealAll.bind(series),
    close: series.close.bind(series),
  };
}

function toError({ reason, cause }: StoreUnavailable): TryLaterError {
  if (reason === 'busy') {
    return new TryLaterError(503, 'telemetry_busy', 'More telemetry arrives than can be stored; try again shortly', 1);
  }
  if (reason === 'full') return diskFull('The disk of the telemetry store is full', cause);
  return new TryLaterError(503, 'telemetry_unavailable', 'Telemetry cannot be stored or read right now', 2, { cause });
}
