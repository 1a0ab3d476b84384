// The list of devices for a page: it grows as it is scrolled, and only what is visible is read again. Tens of thousands of rows
// are read once, page by page in the order of their names; rows that came, went or changed in a part take their place.
import { type Signal, signal } from '@preact/signals';
import { type Answer, call, type Device, type Failure, toFailure } from '../../api/client.ts';
import { noteAnswer } from '../freshness.ts';

export interface RowPage<Row> {
  items: readonly Row[];
  /** The cursor of what follows; null at the end. */
  next: string | null;
}

/** Where a page begins: behind the row of this name. */
export interface PageStart {
  after: string;
  cursor: string;
}

export interface SortedRows<Row> {
  /** By name, each once. */
  rows: readonly Row[];
  /** Where pages are known to begin, by name; the list itself begins before the first. */
  starts: readonly PageStart[];
  /** Where the rows that are not known yet begin; undefined if all are known. */
  end: PageStart | undefined;
}

/** `start` is where the page begins; undefined: with the first row. */
export function withPage<Row>(
  known: SortedRows<Row> | undefined,
  start: PageStart | undefined,
  { items, next }: RowPage<Row>,
  nameOf: (row: Row) => string,
): SortedRows<Row> {
  const after = start?.after ?? '';
  const last = items.at(-1);
  const end = next === null || last === undefined ? undefined : { after: nameOf(last), cursor: next };
  const isBehind = (name: string) => end !== undefined && name > end.after;
  const before = known?.rows.filter((row) => nameOf(row) <= after) ?? [];
  const behind = known?.rows.filter((row) => isBehind(nameOf(row))) ?? [];
  const starts = known?.starts.filter((each) => each.after <= after || isBehind(each.after)) ?? [];
  // What was the end is now the end of this page, or still lies behind it.
  const wasBeyond = known !== undefined && (known.end === undefined || isBehind(known.end.after));
  return {
    rows: [...before, ...items, ...behind],
    starts: [...starts, ...(end ? [end] : [])].sort((a, b) => (a.after < b.after ? -1 : 1)),
    end: end !== undefined && wasBeyond ? known.end : end,
  };
}

/** The page to read again for the row at this index; undefined: the first one. */
export function startOf<Row>(
  { rows, starts }: SortedRows<Row>,
  index: number,
  nameOf: (row: Row) => string,
): PageStart | undefined {
  const row = rows[index];
  return row === undefined ? starts.at(-1) : starts.findLast(({ after }) => after < nameOf(row));
}

export interface DeviceQuery {
  selector?: string;
  search?: string;
}

export interface DeviceListState {
  /** Undefined until enough of them have come. */
  rows: readonly Device[] | undefined;
  /** How many match; undefined until it is known. */
  count: number | undefined;
  failure: Failure | undefined;
}

const refreshMs = 4000;
/** The first ones come at once; whoever scrolls wants many. */
const sizes = { first: 200, more: 1000, refresh: 200 };
/** Read before the end is visible: the further somebody has scrolled, the more. */
const rowsAhead = (end: number) => Math.max(400, Math.floor(end / 2));
const nameOf = ({ device }: Device) => device;

export class DeviceReader {
  readonly state: Signal<DeviceListState> = signal({ rows: undefined, count: undefined, failure: undefined });
  readonly #query: DeviceQuery;
  readonly #abort = new AbortController();
  #known: SortedRows<Device> | undefined;
  #sight = { first: 0, end: 0 };
  /** So many rows are needed, such as for a list that was left far down. */
  #wanted: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;

  constructor(query: DeviceQuery, wanted = 0) {
    this.#query = query;
    this.#wanted = wanted;
  }

  start(): void {
    void this.#work(true);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  retry(): void {
    void this.#work(true);
  }

  /** These rows are shown, `end` excluded. */
  onSight(first: number, end: number): void {
    this.#sight = { first, end };
    this.#wanted = end + rowsAhead(end);
    if (this.#needsMore()) void this.#work(false);
  }

  #needsMore(): boolean {
    return this.#known?.end !== undefined && this.#known.rows.length < this.#wanted;
  }

  async #work(isRefresh: boolean): Promise<void> {
    if (this.#isReading || this.#abort.signal.aborted) return;
    this.#isReading = true;
    clearTimeout(this.#timer);
    try {
      if (isRefresh && !document.hidden) await this.#refresh();
      while (this.#needsMore()) await this.#read(this.#known?.end, sizes.more, false);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.state.value = { ...this.state.peek(), failure: toFailure(error) };
    }
    this.#isReading = false;
    // A refusal stays what it is; only what may pass is tried again.
    const { status = 0 } = this.state.peek().failure ?? {};
    const isRefused = status >= 400 && status < 500 && status !== 429;
    if (!this.#abort.signal.aborted && !isRefused) this.#timer = setTimeout(() => void this.#work(true), refreshMs);
  }

  /** What is visible, and how many there are. */
  async #refresh(): Promise<void> {
    if (!this.#known) return this.#read(undefined, sizes.first, true);
    const lastName = this.#known.rows[Math.min(this.#sight.end, this.#known.rows.length) - 1]?.device;
    let start = startOf(this.#known, this.#sight.first, nameOf);
    for (let isFirst = true; ; isFirst = false) {
      await this.#read(start, sizes.refresh, isFirst);
      const last: PageStart | undefined = this.#known.starts.find(({ after }) => after > (start?.after ?? ''));
      if (!last || lastName === undefined || last.after >= lastName) return;
      start = last;
    }
  }

  async #read(start: PageStart | undefined, limit: number, count: boolean): Promise<void> {
    const query = { ...this.#query, limit, ...(count && { count }), ...(start && { cursor: start.cursor }) };
    const page: Answer<'list_devices'> = await call('list_devices', { query }, { signal: this.#abort.signal });
    noteAnswer();
    this.#known = withPage(this.#known, start, page, nameOf);
    this.state.value = {
      rows: this.state.peek().rows === undefined && this.#needsMore() ? undefined : this.#known.rows,
      count: page.count ?? this.state.peek().count,
      failure: undefined,
    };
  }
}
