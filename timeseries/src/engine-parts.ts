// For stores that keep the same blocks and roll-ups elsewhere than in the files of this package: the codec, the heads, and
// what reads and seals them.

export { DecodedBlocks } from './blocks/block-cache.ts';
export { Block } from './blocks/block-codec.ts';
export { chunkOf, hourMs, type Level, minuteMs } from './blocks/rollup.ts';
export type { BlockPlace, BlockTables, FieldRow } from './blocks/tables.ts';
export { neverTs, SourceSeries } from './heads/source-series.ts';
export type { SealedRows } from './read/raw-rows.ts';
export { RecentRows } from './read/recent-rows.ts';
export { queryFrame, readRows } from './read/series-reader.ts';
export { AppendOrder } from './write/append-order.ts';
export { CommitPace } from './write/commit-pace.ts';
export {
  type NumberedSource,
  namesOf,
  RecordWriter,
  readRecord,
  type SampleName,
  toNumberedSource,
} from './write/sample-record.ts';
export { rowsAtOnce, sealFirstRows } from './write/sealing.ts';
