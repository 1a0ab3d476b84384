// Reports that wait on disk while Weft is away: a queue of texts in files. What `append` has resolved survives any end of the
// process or the machine; what `done` has resolved does not come again; the order is that of `append`.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { WeftRefusal } from '../weft-refusal.ts';
import { AppendLog, lineBytes, readLines, syncFolder } from './append-log.ts';

const suffix = '.spool';
const cursorName = 'cursor';

export interface SpoolOptions {
  /** Of this spool alone; created if it is missing. */
  folder: string;
  /** On disk; more is refused. */
  maxBytes: number;
  /** Size at which a new file is started: space is freed file by file. */
  segmentBytes?: number;
}

export interface SpooledRecord {
  id: number;
  /** Undefined if the disk has damaged it. */
  text: string | undefined;
}

/** A file with the records from `first` on. */
interface Segment {
  first: number;
  path: string;
  /** Only while records may be added. */
  log: AppendLog | undefined;
  /** Numbers given to records, and records that are durable; they differ while some are being written. */
  given: number;
  durable: number;
  bytes: number;
  /** The disk has failed it: nothing more is added. */
  isFailed: boolean;
}

/** One reader: `peek` and `done` are called one after the other. `append` may be called at any time. */
export class Spool {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  /** Oldest first; records are added to the last one. */
  readonly #segments: Segment[] = [];
  /** The number of the next record. */
  #next = 1;
  /** The number of the oldest record that is not done. */
  #cursor = 1;
  #size = 0;
  /** The newest record that was there when the spool was opened. */
  newestFound: string | undefined;
  #read: { segment: Segment; durable: number; texts: (string | undefined)[] } | undefined;

  constructor({ folder, maxBytes, segmentBytes = 1024 * 1024 }: SpoolOptions) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#segmentBytes = segmentBytes;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#cursor = readCursor(join(folder, cursorName));
    this.#open();
  }

  /** Records that are not done, those included that are not durable yet. */
  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Durable when it resolves. Throws WeftRefusal `spool_full`, or what the disk says; nothing is kept then. */
  async append(text: string): Promise<number> {
    const bytes = lineBytes(text);
    if (this.bytes + bytes > this.#maxBytes) {
      throw new WeftRefusal(0, 'spool_full', `${this.#maxBytes} bytes on disk are taken`);
    }
    const segment = this.#writable();
    const id = this.#next++;
    segment.given++;
    segment.bytes += bytes;
    this.#size++;
    try {
      await segment.log!.append(text);
      segment.durable++;
      return id;
    } catch (error) {
      // The log keeps nothing after a failure: whatever else waits for it fails too.
      segment.isFailed = true;
      segment.given = segment.durable;
      segment.bytes -= bytes;
      this.#size--;
      throw error;
    }
  }

  /** The oldest durable records, in order, as many as fit; at least one if there is one. */
  async peek({ maxRecords, maxBytes }: { maxRecords: number; maxBytes: number }): Promise<SpooledRecord[]> {
    for (let segment = this.#segments[0]; segment; segment = this.#segments[0]) {
      this.#cursor = Math.max(this.#cursor, segment.first);
      const texts = await this.#textsOf(segment);
      const records: SpooledRecord[] = [];
      let bytes = 0;
      for (const text of texts.slice(this.#cursor - segment.first, this.#cursor - segment.first + maxRecords)) {
        bytes += text?.length ?? 0;
        if (records.length > 0 && bytes > maxBytes) break;
        records.push({ id: this.#cursor + records.length, text });
      }
      if (records.length > 0 || segment.durable < segment.given || this.#segments.length === 1) return records;
      // Whatever was there has gone from under us.
      this.#size -= Math.max(0, segment.first + segment.given - this.#cursor);
      this.#cursor = this.#segments[1]!.first;
      await this.#removeDone();
    }
    return [];
  }

  /** The oldest `count` records will not come again. */
  async done(count: number): Promise<void> {
    this.#cursor += count;
    this.#size -= count;
    // First what makes room: a full disk takes the cursor only then.
    await this.#removeDone();
    await this.#keepCursor();
  }

  async close(): Promise<void> {
    await Promise.all(this.#segments.map(({ log }) => log?.close()));
  }

  #open(): void {
    const firsts = readdirSync(this.#folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => Number(name.slice(0, -suffix.length)))
      .sort((a, b) => a - b);
    for (const [index, first] of firsts.entries()) {
      const path = this.#pathOf(first);
      const isLast = index === firsts.length - 1;
      const log = isLast ? new AppendLog(path) : undefined;
      const count = (log ? log.found : readLines(readFileSync(path)).texts).length;
      this.#next = Math.max(first + count, this.#cursor);
      const left = first + count - Math.max(first, this.#cursor);
      if (left <= 0) {
        void log?.close();
        rmSync(path);
        continue;
      }
      this.#size += left;
      this.newestFound = log?.found.at(-1);
      const bytes = log ? log.size : statSync(path).size;
      this.#segments.push({ first, path, log, given: count, durable: count, bytes, isFailed: false });
    }
    this.#next = Math.max(this.#next, this.#cursor);
  }

  #writable(): Segment {
    const last = this.#segments.at(-1);
    if (last?.log && !last.isFailed && last.bytes < this.#segmentBytes) return last;
    if (last?.isFailed) this.#giveUp(last);
    const path = this.#pathOf(this.#next);
    const log = new AppendLog(path);
    const segment = { first: this.#next, path, log, given: 0, durable: 0, bytes: 0, isFailed: false };
    this.#segments.push(segment);
    return segment;
  }

  /** Files that a full disk has failed must not pile up, open and empty. */
  #giveUp(segment: Segment): void {
    segment.log?.close().catch(() => {});
    segment.log = undefined;
    if (segment.durable > 0) return;
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    rmSync(segment.path, { force: true });
  }

  async #textsOf(segment: Segment): Promise<(string | undefined)[]> {
    const { durable } = segment;
    if (this.#read?.segment !== segment || this.#read.durable !== durable) {
      const { texts } = readLines(await readFile(segment.path));
      this.#read = { segment, durable, texts: texts.slice(0, durable) };
    }
    return this.#read.texts;
  }

  async #keepCursor(): Promise<void> {
    const path = join(this.#folder, cursorName);
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(String(this.#cursor));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    syncFolder(this.#folder);
  }

  /** Space comes back file by file; also the last one's, as long as nobody is adding to it. */
  async #removeDone(): Promise<void> {
    for (let segment = this.#segments[0]; segment; segment = this.#segments[0]) {
      const { first, given, durable, log, path } = segment;
      if (durable < given || first + given > this.#cursor || (given === 0 && this.#segments.length === 1)) return;
      this.#segments.shift();
      await log?.close();
      await unlink(path);
    }
  }

  #pathOf(first: number): string {
    return join(this.#folder, String(first).padStart(12, '0') + suffix);
  }
}

function readCursor(path: string): number {
  try {
    const cursor = Number(readFileSync(path, 'utf8'));
    return Number.isSafeInteger(cursor) && cursor > 0 ? cursor : 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 1;
    throw error;
  }
}
