// Chooses the width of buckets: round numbers, and multiples of the roll-ups' minutes and hours where possible.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const roundWidths = [
  ...[1, 2, 5, 10, 15, 20, 30].map((count) => count * second),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((count) => count * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * hour),
  ...[1, 2, 4, 7, 14, 28, 56, 112, 224, 448].map((count) => count * day),
];

/** The narrowest round width at which the range has at most `maxBuckets` buckets, the partial ones at its ends counted. */
export function chooseBucketWidth(startMs: number, endMs: number, maxBuckets: number): number {
  const fitting = roundWidths.find(
    (width) => Math.floor(endMs / width) - Math.floor(startMs / width) + 1 <= maxBuckets,
  );
  return fitting ?? roundWidths.at(-1)!;
}
