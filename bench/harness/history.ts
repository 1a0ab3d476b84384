// What has happened before a benchmark asks: the telemetry of a fleet at 1 Hz, written through the store itself, sealed
// and closed before Weft opens it; and, if there is a peer, the same samples there.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEmbeddedTelemetry } from '../../controller/src/core/telemetry/store/telemetry-store.embedded.ts';
import type { Sample } from '../../controller/src/core/telemetry/store/telemetry-store.ts';
import { Radio, type StoredAgent } from './fleet.ts';
import type { PeerInflux } from './peer-influx.ts';

const day = 86_400_000;

export interface HistoryOptions {
  dataDir: string;
  fleet: readonly StoredAgent[];
  /** So many points in all, ten metrics each, evenly spread over the fleet. */
  points: number;
  /** The last agent of the fleet has this many days with five metrics instead. */
  longDays: number;
  peer: PeerInflux | undefined;
}

/** Bytes on disk of the evenly spread points, sealed. */
export interface SealedBytes {
  blocks: number;
  rollups: number;
  file: number;
}

export async function writeHistory({ dataDir, fleet, points, longDays, peer }: HistoryOptions): Promise<SealedBytes> {
  const folder = join(dataDir, 'telemetry');
  mkdirSync(folder, { recursive: true });
  const end = Date.now() - 1000;
  const many = fleet.slice(0, -1);
  const rows = points / many.length / Radio.names.length;
  const atOnce = 50;
  await withStore(folder, async (append) => {
    for (let index = 0; index < many.length; index += atOnce) {
      const some = many.slice(index, index + atOnce);
      await Promise.all(
        some.map(async ({ ap_id }) => {
          for (const samples of batches(rows, 500, end, Radio.names, 5)) await append(ap_id, samples);
        }),
      );
      process.stderr.write(
        `\rstored ${Math.round(((index + some.length) / many.length) * (points / 1e6))} million points`,
      );
    }
  });
  const bytes = sealedBytes(folder);
  process.stderr.write(`; and ${longDays} days of one agent\n`);
  await withStore(folder, async (append) => {
    for (const samples of batches(longDays * 86_400, 5000, end, Radio.names.slice(0, 5), 0)) {
      await append(fleet.at(-1)!.ap_id, samples);
    }
  });
  return bytes;

  async function withStore(
    folder: string,
    work: (append: (ap_id: string, samples: Sample[]) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const quiet = () => {};
    const retention = { rawRetentionMs: 31 * day, rollupRetentionMs: 400 * day };
    const store = await openEmbeddedTelemetry({ folder, ...retention, onDamage: quiet, onFatal: quiet });
    await work(async (ap_id, samples) => {
      await store.append(ap_id, samples);
      if (peer && !(await peer.write(ap_id, samples))) throw new Error('InfluxDB refused a batch');
    });
    await store.sealAll();
    await store.close();
  }
}

/** One sample a second up to `end`, give or take `jitterMs`. */
function* batches(rows: number, size: number, end: number, names: string[], jitterMs: number): Generator<Sample[]> {
  const radio = new Radio();
  for (let row = 0; row < rows; row += size) {
    yield Array.from({ length: Math.min(size, rows - row) }, (_, at) => ({
      ts: end - (rows - row - at) * 1000 + Math.floor(Math.random() * jitterMs),
      names,
      values: radio.next().slice(0, names.length),
      texts: [],
    }));
  }
}

function sealedBytes(folder: string): SealedBytes {
  const file = join(folder, 'telemetry.db');
  const database = new DatabaseSync(file, { readOnly: true });
  const sum = (table: string) =>
    (database.prepare(`SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = '${table}'`).get() as { bytes: number })
      .bytes;
  try {
    return {
      blocks: sum('blocks') + sum('blocks_by_time') + sum('blocks_by_age'),
      rollups: sum('rollups') + sum('rollups_by_time') + sum('rollups_by_age'),
      file: statSync(file).size,
    };
  } finally {
    database.close();
  }
}
