// Finds out whether writing works, by writing. Used by /readyz, which anybody may ask as often as they like: so at most
// once a second, one at a time, and with an end.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TryLaterError } from '../errors.ts';
import type { SqlDatabase } from './sql-database.ts';

const freshMs = 1_000;
const patienceMs = 5_000;
/** More than what file systems and databases have left inside of files that exist already. */
const probeBytes = Buffer.alloc(64 * 1024, 'probe ');
const noSpace = new Set(['ENOSPC', 'EDQUOT']);

/** Resolves if a small durable write succeeds; throws TryLaterError with the reason as its code. */
export type WriteProbe = () => Promise<void>;

export function probeFolder(folder: string): WriteProbe {
  return sharing(async () => {
    const file = join(folder, `.probe-${process.pid}`);
    try {
      const handle = await open(file, 'w', 0o600);
      try {
        await handle.writeFile(probeBytes);
        await handle.datasync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      const { code = 'failed' } = error as NodeJS.ErrnoException;
      if (noSpace.has(code)) throw diskFull(`The disk of ${folder} is full`, error);
      throw new TryLaterError(503, 'disk_failing', `${folder} cannot be written (${code})`, 2, { cause: error });
    } finally {
      await rm(file, { force: true }).catch(() => {});
    }
  });
}

/** The tables must exist. */
export function probeDatabase(database: SqlDatabase): WriteProbe {
  return sharing(async () => {
    await database.transaction((tx) =>
      tx.query(
        'INSERT INTO write_probe (id, written_at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at',
        [Date.now()],
      ),
    );
  });
}

/** 503 `disk_full`: nothing was stored. */
export function diskFull(detail: string, cause?: unknown): TryLaterError {
  return new TryLaterError(503, 'disk_full', `${detail}: nothing was stored; free some space`, 10, { cause });
}

/** Whoever asks while a probe is under way, or within a second of its end, gets its outcome. */
function sharing(write: () => Promise<void>): WriteProbe {
  let last: Promise<void> | undefined;
  return () => {
    if (last === undefined) {
      last = withEnd(write());
      const forget = () => setTimeout(() => (last = undefined), freshMs).unref();
      last.then(forget, forget);
    }
    return last;
  };
}

async function withEnd(writing: Promise<void>): Promise<void> {
  const end = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => end.reject(new TryLaterError(503, 'disk_slow', 'A small write has not ended within 5 seconds', 5)),
    patienceMs,
  );
  try {
    await Promise.race([writing, end.promise]);
  } finally {
    clearTimeout(timer);
  }
}
