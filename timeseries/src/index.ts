export { Tables } from './blocks/tables.ts';
export { returnMemoryAtRest } from './memory-at-rest.ts';
export { chooseBucketWidth } from './read/bucket-frame.ts';
export {
  type Aggregate,
  FieldConflict,
  type FieldInfo,
  type Frame,
  isNewest,
  type LatestValues,
  maxAheadMs,
  maxNamesPerSource,
  type Sample,
  type SeriesQuery,
  StoreUnavailable,
  type TimeRange,
  type TimeSeriesOptions,
  type TimeSeriesStore,
} from './time-series.ts';
export { openTimeSeries } from './time-series-store.ts';
