// Where the log goes: a descriptor that is written to without ever waiting for its reader. What the reader does not take
// is kept up to a bound; beyond it lines are dropped and counted, and one line says how many once there is room.
import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const maxKeptBytes = 1024 * 1024;
const retryMs = 10;
/** At the end of the process: how long a slow reader is waited for. */
const lastWaitMs = 500;

export interface LogOutputOptions {
  /** Writes what it can and returns the number of bytes. Throws EAGAIN instead of waiting. */
  write: (bytes: Uint8Array) => number;
  maxBytes?: number;
  /** Calls back later, without keeping the process alive. */
  later?: (work: () => void) => void;
  /** Makes of a JSON line what is written. Default: the line itself. */
  toText?: (line: string) => string;
}

interface Kept {
  bytes: Buffer;
  /** How many dropped lines it reports; 0: it is a line like others. */
  reports: number;
}

export class LogOutput {
  readonly #write: LogOutputOptions['write'];
  readonly #maxBytes: number;
  readonly #later: (work: () => void) => void;
  readonly #kept: Kept[] = [];
  readonly #toText: (line: string) => string;
  #keptBytes = 0;
  #isWaiting = false;
  /** Dropped lines that are not reported yet. */
  #unreported = 0;
  /** Since the start. */
  dropped = 0;

  constructor({ write, maxBytes = maxKeptBytes, later = laterUnref, toText = (line) => line }: LogOutputOptions) {
    this.#write = write;
    this.#maxBytes = maxBytes;
    this.#later = later;
    this.#toText = toText;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** `line` is JSON and ends with a line break. Never throws, never waits. */
  write(line: string): void {
    this.#reportDropped();
    const bytes = Buffer.from(this.#toText(line));
    if (this.#unreported > 0 || this.#keptBytes + bytes.length > this.#maxBytes) {
      this.#lose(0);
      return;
    }
    this.#keep(bytes);
    if (!this.#isWaiting) this.#writeKept();
  }

  /** Writes what is kept, and waits for the reader a moment if it must: for the end of the process only. */
  finish(waitMs = lastWaitMs): void {
    const deadline = performance.now() + waitMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
      this.#reportDropped();
      const isDone = this.#attempt();
      this.#reportDropped();
      if ((isDone && this.#keptBytes === 0) || performance.now() >= deadline) return;
      Atomics.wait(pause, 0, 0, retryMs);
    }
  }

  #keep(bytes: Buffer, reports = 0): void {
    this.#kept.push({ bytes, reports });
    this.#keptBytes += bytes.length;
  }

  /** Once half of the bound is free: a line for every dropped one would be no help. */
  #reportDropped(): void {
    if (this.#unreported === 0 || this.#keptBytes > this.#maxBytes / 2) return;
    const count = this.#unreported;
    this.#unreported = 0;
    this.#keep(Buffer.from(this.#toText(droppedLine(count))), count);
  }

  #writeKept(): void {
    this.#isWaiting = !this.#attempt();
    if (!this.#isWaiting && this.#unreported > 0) {
      this.#reportDropped();
      this.#isWaiting = !this.#attempt();
    }
    if (this.#isWaiting) this.#later(() => this.#writeKept());
  }

  /** Returns whether nothing is left to write. */
  #attempt(): boolean {
    let done = 0;
    try {
      while (done < this.#kept.length) {
        const entry = this.#kept[done]!;
        const written = this.#write(entry.bytes);
        this.#keptBytes -= written;
        if (written === entry.bytes.length) done++;
        else entry.bytes = entry.bytes.subarray(written);
      }
      return true;
    } catch (error) {
      if (isTransient(error)) return false;
      // Nobody reads any more, or the disk is full.
      for (const { reports } of this.#kept.splice(done)) this.#lose(reports);
      this.#keptBytes = 0;
      return true;
    } finally {
      this.#kept.splice(0, done);
    }
  }

  #lose(reports: number): void {
    if (reports === 0) this.dropped++;
    this.#unreported += Math.max(1, reports);
  }
}

function isTransient(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EINTR';
}

function laterUnref(work: () => void): void {
  setTimeout(work, retryMs).unref();
}

function droppedLine(count: number): string {
  const msg = `${count} lines of the log were dropped: standard error was not read in time`;
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), dropped: count, msg })}\n`;
}

let standardError: LogOutput | undefined;

/** Standard error of this process: there is one, however many loggers. The first call decides about `toText`. */
export function standardErrorOutput(toText?: LogOutputOptions['toText']): LogOutput {
  if (standardError) return standardError;
  const descriptor = openWithoutWaiting();
  const output = new LogOutput({ write: (bytes) => writeSync(descriptor, bytes), ...(toText && { toText }) });
  process.on('exit', () => output.finish());
  standardError = output;
  return output;
}

/** For /metrics. */
export const logMetrics = {
  weft_log_lines_dropped: {
    help: 'Lines of the log that were dropped since the start, because standard error was not read in time',
    value: () => standardError?.dropped ?? 0,
  },
  weft_log_kept_bytes: {
    help: 'Bytes of the log that wait for the reader of standard error',
    value: () => standardError?.keptBytes ?? 0,
  },
};

/** A descriptor of standard error on which a write fails instead of waiting. */
function openWithoutWaiting(): number {
  const own = 2;
  if (isatty(own)) {
    // A terminal that is stopped (Ctrl+S) waits too. Opened again: the flag of the present one is the shell's as well.
    try {
      return openSync(`/proc/self/fd/${own}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      return own;
    }
  }
  // Node makes pipes and sockets non-blocking when its stream is created. Writes to a file do not wait for a reader.
  void process.stderr;
  return own;
}
