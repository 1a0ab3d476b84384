// Several databases of PostgreSQL that agents' telemetry is spread over, and nodes that use them.
import { onTestFinished } from 'vitest';
import { placeOf } from '../controller/src/storage/postgres-servers.ts';
import { openPostgresTelemetry } from '../controller/src/telemetry/store/postgres/telemetry-store.postgres.ts';
import { createPlaceStore } from '../controller/src/telemetry/store/spread/place-store.sql.ts';
import type { PlaceStore } from '../controller/src/telemetry/store/spread/place-store.ts';
import { SpreadTelemetryStore } from '../controller/src/telemetry/store/spread/telemetry-store.spread.ts';
import { databaseKinds } from './databases.ts';

const day = 86_400_000;

export interface SpreadServers {
  urls: string[];
  places: PlaceStore;
  /** Another node; by default on all servers. */
  open(urls?: string[]): SpreadTelemetryStore;
  /** A store on one database that knows nothing of places. */
  openAlone(url: string): ReturnType<typeof openPostgresTelemetry>;
}

/** Goes with the test. */
export async function createSpreadServers(count: number): Promise<SpreadServers> {
  const databases = await Promise.all(
    Array.from({ length: count }, () => databaseKinds.postgres.createNamespace({ isBare: true })),
  );
  const accounts = await databaseKinds.sqlite.createNamespace();
  const opened: { close(): Promise<void> }[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await Promise.all([...databases, accounts].map((namespace) => namespace.remove()));
  });
  const database = accounts.open();
  await database.migrate();
  const places = createPlaceStore(database);
  const urls = databases.map(({ address }) => address);
  const openOne = (url: string) =>
    openPostgresTelemetry({ url, rawRetentionMs: 30 * day, rollupRetentionMs: 400 * day, onChange: () => {} });
  return {
    urls,
    places,
    open: (named = urls) => {
      const servers = named.map((url) => ({ place: placeOf(url), store: openOne(url) }));
      const store = new SpreadTelemetryStore({ servers, places, onChange: () => {} });
      opened.push(store);
      return store;
    },
    openAlone: (url) => {
      const store = openOne(url);
      opened.push(store);
      return store;
    },
  };
}
