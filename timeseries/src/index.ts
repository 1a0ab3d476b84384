export { Tables } from './blocks/tables.ts';
export { returnMemoryAtRest } from './memory-at-rest.ts';
export { chooseBucketWidth } from './read/bucket-frame.ts';
export {
  type Aggregate,
  type FieldInfo,
  type Frame,
  inFieldOrder,
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
  TooManyNames,
} from './time-series.ts';
export { openTimeSeries } from './time-series-store.ts';
