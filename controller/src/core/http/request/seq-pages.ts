// Lists in the order of a number that counts up, newest first: the next page is what has smaller numbers.
import * as Type from '@weft/contract/schema';

/** What the database's number can hold. */
const maxSeq = 2 ** 31 - 1;

/** The parameters of such a list. */
export const seqQuery = {
  cursor: Type.Optional.String({ pattern: '^[1-9][0-9]{0,9}$', description: '`next` of the page before.' }),
  before: Type.Optional.Integer({ minimum: 1, maximum: maxSeq, description: 'Only those with a smaller `seq`.' }),
};

/** A program may repeat its `before` with each page. */
export function readBeforeSeq({ cursor, before }: { cursor?: string; before?: number }): number | undefined {
  if (cursor === undefined) return before;
  return Math.min(Number(cursor), before ?? maxSeq);
}
