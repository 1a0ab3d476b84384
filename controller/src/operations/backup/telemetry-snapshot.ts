// A consistent snapshot of the embedded telemetry store while a server writes it: its tables and the matching journal.
//
// The copy must have the invariants of the folder: every record is in the journal or sealed in the tables;
// if a record is in the journal, so are all that were written after it, since replaying an old value of a sample without
// the newer one would bring it back; and every number in the journal has its name in the tables.
//
// So the tables are locked while their snapshot is taken and the journal is opened. Meanwhile
// nothing is sealed and no name is registered; new records may or may not be in the copy. Segments that
// are no longer needed may be deleted meanwhile, oldest first: they are opened newest first, and the
// first missing one ends the search, so that there is no gap between those that were found; nor may there be one in the
// list itself, which is read while files are created and deleted. An open segment can be read to its end even after it was deleted.
import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteSnapshot, whileWritersWait } from './sqlite-snapshot.ts';

const maxListings = 20;

export interface OpenSegment {
  name: string;
  handle: number;
  /** At the time of the snapshot. A record that was being written may be incomplete: recovery truncates it. */
  size: number;
}

export interface TelemetrySnapshot {
  tables: SqliteSnapshot;
  /** Oldest first. */
  segments: OpenSegment[];
  close(): void;
}

export async function takeTelemetrySnapshot(folder: string): Promise<TelemetrySnapshot> {
  const file = join(folder, 'telemetry.db');
  return await whileWritersWait(file, () => {
    const tables = SqliteSnapshot.take(file);
    const segments: OpenSegment[] = [];
    const close = () => {
      for (const { handle } of segments) closeSync(handle);
      tables.close();
    };
    try {
      openJournal(join(folder, 'journal'), segments);
      return { tables, segments, close };
    } catch (error) {
      close();
      throw error;
    }
  });
}

function openJournal(folder: string, segments: OpenSegment[]): void {
  for (const name of segmentNames(folder).reverse()) {
    let handle: number;
    try {
      handle = openSync(join(folder, name), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    segments.unshift({ name, handle, size: 0 });
    segments[0]!.size = fstatSync(handle).size;
  }
}

/** Oldest first, without a gap; a permanent gap is accepted, because the server accepts it too. */
function segmentNames(folder: string): string[] {
  for (let attempt = 1; ; attempt++) {
    const names = listSegments(folder);
    const numbers = names.map((name) => Number.parseInt(name, 10));
    const isWhole = numbers.every((number, index) => number === numbers[0]! + index);
    if (isWhole || attempt === maxListings) return names;
  }
}

function listSegments(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{12}\.log$/.test(name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
