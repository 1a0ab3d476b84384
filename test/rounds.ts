// How often a test repeats something with random or different data. `npm test` does a part of it, others with each seed (`draw.ts`);
// `npm run test:long` all of it.

export const isLong = Boolean(process.env.WEFT_TEST_LONG);

/** All pages of the dashboard at all widths, as `npm test -- --every-page` asks. */
export const everyPage = isLong || Boolean(process.env.WEFT_TEST_EVERY_PAGE);

/** Of all that the long run does: a quarter, unless the test says how many show it. */
export function rounds(all: number, few = Math.max(Math.ceil(all / 4), Math.min(all, 5))): number {
  return isLong ? all : few;
}
