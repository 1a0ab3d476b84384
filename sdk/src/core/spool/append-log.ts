// A file to which lines are added, durable when `append` resolves. Lines that wait at the same moment share one flush.
import { createHash } from 'node:crypto';
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncate,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  write,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { BatchQueue } from '@weft/contract/batch-queue';

const flush = promisify(fdatasync);
const cut = promisify(ftruncate);
const writeBytes = promisify(write);

export class AppendLog {
  readonly #fd: number;
  /** What was there when it was opened; undefined for a damaged line. */
  readonly found: (string | undefined)[];
  #size: number;
  readonly #queue = new BatchQueue<string>({
    write: async (lines) => {
      if (this.#failure) throw this.#failure;
      await this.#writeAll(Buffer.from(lines.join('')));
      return [];
    },
  });
  #failure: unknown;
  #isClosed = false;

  /** Creates the file if there is none, and cuts off what a sudden end has left of the last write. */
  constructor(path: string) {
    this.#fd = openSync(path, 'a+', 0o600);
    const { texts, size } = readLines(readFileSync(path));
    this.found = texts;
    this.#size = size;
    ftruncateSync(this.#fd, size);
    fsyncSync(this.#fd);
    syncFolder(dirname(path));
  }

  /** Bytes that are durable. */
  get size(): number {
    return this.#size;
  }

  /**
   * Lines become durable in the order in which they are given. Throws if the disk does not take it; it is not kept then,
   * and neither is anything that comes after.
   */
  append(text: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the file is closed'));
    return this.#queue.add(toLine(text));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#queue.idle();
    closeSync(this.#fd);
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += (await writeBytes(this.#fd, bytes, done, bytes.length - done, null)).bytesWritten;
      }
      await flush(this.#fd);
      this.#size += bytes.length;
    } catch (error) {
      // What has been written of it must not be found later.
      this.#failure = error;
      await cut(this.#fd, this.#size).catch(() => {});
      throw error;
    }
  }
}

/** Whole or not at all, and durable with the names in its folder; for its owner alone. */
export function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  const fd = openSync(fresh, 'w', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, path);
}

/** Makes names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

// Records as lines of text with a checksum, so that after a sudden end it is clear which of them are whole.
const sumLength = 16;

/** The text must hold no line breaks; JSON has none. */
export function toLine(text: string): string {
  return `${sumOf(text)} ${text}\n`;
}

/** How long the line of a text is. */
export function lineBytes(text: string): number {
  return sumLength + 2 + Buffer.byteLength(text);
}

/**
 * What the bytes of a file hold: the text of each line, undefined for a damaged one. Damage at the end, where the last
 * write was cut short, is left out; `size` is where it begins.
 */
export function readLines(bytes: Buffer): { texts: (string | undefined)[]; size: number } {
  const texts: (string | undefined)[] = [];
  let count = 0;
  let size = 0;
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    const text = readLine(bytes.toString('utf8', start, end));
    start = end + 1;
    texts.push(text);
    if (text === undefined) continue;
    count = texts.length;
    size = start;
  }
  return { texts: texts.slice(0, count), size };
}

function readLine(line: string): string | undefined {
  const text = line.slice(sumLength + 1);
  return line[sumLength] === ' ' && line.slice(0, sumLength) === sumOf(text) ? text : undefined;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, sumLength);
}
