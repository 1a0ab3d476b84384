// Lists of all agents, however many there are: made page by page, and held in memory only if they are short.
import type { Caller } from '../../base/caller.ts';
import { type OpenShare, principalOf, type Shares } from '../../base/shares/shares.ts';
import type { AgentRow } from '../../network/agent-rows.ts';

/** A list that is longer is not held in memory until it is read, and so many of a caller may be on their way. */
const maxWholeBytes = 1024 * 1024;
const maxListsPerCaller = 4;

/** JSON: whole, as text or bytes, or in pieces to be sent one after the other. */
export type LongList = WholeJson | AsyncGenerator<WholeJson>;
export type WholeJson = string | Uint8Array;

export function isWhole(answer: unknown): answer is WholeJson {
  return typeof answer === 'string' || answer instanceof Uint8Array;
}

export class LongLists {
  readonly #open: OpenShare;

  constructor(shares: Shares) {
    this.#open = shares.open('long_lists', maxListsPerCaller);
  }

  /** Whole if it is short. Else it is written as it is taken, by a bounded number of readers: TryLaterError (429) beyond that. */
  async write(caller: Caller, ...[open, close, pages, toJson]: Parameters<typeof jsonList>): Promise<LongList> {
    const pieces = jsonList(open, close, pages, toJson);
    const first: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const piece = await pieces.next();
      if (piece.done) return Buffer.concat(first);
      const bytes = Buffer.from(piece.value);
      first.push(bytes);
      length += bytes.length;
      if (length <= maxWholeBytes) continue;
      try {
        const release = this.#open.take(principalOf(caller), 'too_many_reads');
        return heldWhileSent({ done: false, value: Buffer.concat(first) }, pieces, release);
      } catch (error) {
        await pieces.return(undefined);
        throw error;
      }
    }
  }
}

/** A list page by page; what `toJson` makes of one are its elements, separated by commas. */
async function* jsonList(
  open: string,
  close: string,
  pages: AsyncGenerator<AgentRow[]>,
  toJson: (page: readonly AgentRow[]) => Promise<WholeJson>,
): AsyncGenerator<WholeJson, void> {
  let before = open;
  for await (const page of pages) {
    const elements = await toJson(page);
    if (elements.length === 0) continue;
    yield before;
    yield elements;
    before = ',';
  }
  yield before === open ? open + close : close;
}

/** Gives the share back in the end, also if nobody takes even the first piece. */
export function heldWhileSent<Piece>(
  first: IteratorResult<Piece, void>,
  pieces: AsyncGenerator<Piece, void>,
  release: () => void,
): AsyncGenerator<Piece, void> {
  const sent = (async function* () {
    try {
      if (!first.done) yield first.value;
      yield* pieces;
    } finally {
      release();
      await pieces.return(undefined);
    }
  })();
  const end = sent.return.bind(sent);
  sent.return = (value) => {
    release();
    return end(value);
  };
  return sent;
}
