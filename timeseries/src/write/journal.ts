// The write-ahead log: records are appended and flushed before an append resolves, and read back after a crash. It is split
// into segment files, so that what has been sealed into blocks is dropped by removing files.
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

const flushData = promisify(fdatasync);
const headerBytes = 8;
const maxSegmentBytes = 4 * 1024 * 1024;
/** A flush that takes no longer is waited for on this thread: to hand it to another one and back takes as much time. */
const shortFlushMs = 0.5;
/** After a longer one, this many are handed over before another is tried here: readers do not wait for a slow disk. */
const handedOverFlushes = 64;

export interface JournalOptions {
  folder: string;
  /** Called for bytes that cannot be read back: an unfinished end is normal after a crash, anything else is damage. */
  onDamage: (message: string, isUnfinishedEnd: boolean) => void;
}

export class Journal {
  readonly #folder: string;
  readonly #onDamage: JournalOptions['onDamage'];
  /** Numbers of the segments on disk, oldest first; the last one is open for appending. */
  #segments: number[] = [];
  #handle: number | undefined;
  #size = 0;
  #toHandOver = 0;

  constructor({ folder, onDamage }: JournalOptions) {
    this.#folder = folder;
    this.#onDamage = onDamage;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Calls `take` with every record that was appended and not removed, and its segment, in order; then opens a new segment.
   * An unfinished record at the very end is cut off; behind a damaged one elsewhere the rest of its segment is skipped. Segments that are
   * missing between others are told: they are removed oldest first, so something else has taken them.
   */
  recover(take: (record: Uint8Array, segment: number) => void): void {
    const names = readdirSync(this.#folder).filter((name) => /^\d{12}\.log$/.test(name));
    this.#segments = names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
    const last = this.#segments.at(-1);
    let next = this.#segments[0];
    for (const segment of this.#segments) {
      if (segment !== next)
        this.#onDamage(
          `journal segments are missing: ${this.#path(next!)} and all before ${this.#path(segment)}`,
          false,
        );
      this.#read(segment, segment === last, take);
      next = segment + 1;
    }
    this.#open((last ?? 0) + 1);
  }

  /** The segment that the next record goes to. */
  get segment(): number {
    return this.#segments.at(-1)!;
  }

  /**
   * Durable when it resolves; when it rejects, nothing was appended. One call at a time, and no other call meanwhile.
   */
  async append(payload: Uint8Array): Promise<void> {
    if (this.#size >= maxSegmentBytes) this.#open(this.segment + 1);
    const header = Buffer.alloc(headerBytes);
    header.writeUInt32LE(payload.length, 0);
    header.writeUInt32LE(crc32(payload), 4);
    try {
      this.#write([header, payload]);
    } catch (error) {
      ftruncateSync(this.#handle!, this.#size);
      throw error;
    }
    if (this.#toHandOver === 0) this.#flushHere();
    else {
      this.#toHandOver--;
      await flushData(this.#handle!).catch((error) => {
        throw notFlushed(error);
      });
    }
    this.#size += headerBytes + payload.length;
  }

  hasBefore(segment: number): boolean {
    return this.#segments.length > 1 && this.#segments[0]! < segment;
  }

  /** Removes the segments before this one. */
  removeBefore(segment: number): void {
    while (this.hasBefore(segment)) {
      unlinkSync(this.#path(this.#segments[0]!));
      // Oldest first: a value that a newer segment has replaced must not come back from an older one.
      this.#segments.shift();
    }
  }

  /** From this segment on. */
  bytesFrom(segment: number): number {
    const earlier = this.#segments.filter((number) => number < segment).length;
    return Math.max(0, this.#segments.length - 1 - earlier) * maxSegmentBytes + this.#size;
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  #write(parts: Uint8Array[]): void {
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    let written = writevSync(this.#handle!, parts, this.#size);
    // On a full disk the kernel may write a part only; the write of the rest then throws.
    while (written < total) {
      written += writevSync(this.#handle!, [Buffer.concat(parts).subarray(written)], this.#size + written);
    }
  }

  #flushHere(): void {
    const begun = performance.now();
    flush(this.#handle!, fdatasyncSync);
    if (performance.now() - begun > shortFlushMs) this.#toHandOver = handedOverFlushes;
  }

  #open(segment: number): void {
    const handle = openSync(this.#path(segment), 'wx+', 0o600);
    this.close();
    this.#handle = handle;
    this.#segments.push(segment);
    this.#size = 0;
    // The name of the new file must survive a power cut too.
    const folder = openSync(this.#folder, 'r');
    flush(folder, fsyncSync);
    closeSync(folder);
  }

  #read(segment: number, isLast: boolean, take: (record: Uint8Array, segment: number) => void): void {
    const path = this.#path(segment);
    const bytes = readFileSync(path);
    let position = 0;
    while (position < bytes.length) {
      const length = position + headerBytes <= bytes.length ? bytes.readUInt32LE(position) : Number.POSITIVE_INFINITY;
      const end = position + headerBytes + length;
      // No record is empty, and zeros are what a power cut may leave of one.
      const isZero = length === 0;
      const isWhole = !isZero && end <= bytes.length;
      const payload = isWhole ? bytes.subarray(position + headerBytes, end) : undefined;
      if (!payload || crc32(payload) !== bytes.readUInt32LE(position + 4)) {
        const isEnd = isLast && (isZero ? isAllZero(bytes, position) : !isWhole || end === bytes.length);
        const what = `${bytes.length - position} bytes from ${position} on in journal segment ${path}`;
        this.#onDamage(isEnd ? `cut off ${what}: they were never acknowledged` : `cannot read ${what}`, isEnd);
        if (isEnd) cut(path, position);
        return;
      }
      take(payload, segment);
      position = end;
    }
  }

  #path(segment: number): string {
    return join(this.#folder, `${String(segment).padStart(12, '0')}.log`);
  }
}

/** A failed flush is not retried, whatever its cause: it is unknown what is on disk. */
function flush(handle: number, sync: (handle: number) => void): void {
  try {
    sync(handle);
  } catch (error) {
    throw notFlushed(error);
  }
}

function notFlushed(error: unknown): Error {
  return new Error(`the journal could not be flushed: ${(error as Error).message}`);
}

/** Durable, so that no later start finds the same bytes in a segment that is no longer the last. */
function cut(path: string, size: number): void {
  const handle = openSync(path, 'r+');
  try {
    ftruncateSync(handle, size);
    flush(handle, fsyncSync);
  } finally {
    closeSync(handle);
  }
}

function isAllZero(bytes: Buffer, from: number): boolean {
  for (let position = from; position < bytes.length; position++) if (bytes[position] !== 0) return false;
  return true;
}
