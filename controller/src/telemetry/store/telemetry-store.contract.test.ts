import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { type DatabaseKind, type DatabaseNamespace, databaseKinds } from '../../../../test/databases.ts';
import type { TelemetryFixture } from '../../../../test/telemetry-fixture.ts';
import { openInfluxTelemetry } from './influx/telemetry-store.influx.ts';
import { openPostgresTelemetry, type PostgresTelemetryStore } from './postgres/telemetry-store.postgres.ts';
import { createPlaceStore } from './spread/place-store.sql.ts';
import { SpreadTelemetryStore } from './spread/telemetry-store.spread.ts';
import { describeTelemetryStore } from './telemetry-store.contract.ts';
import { openEmbeddedTelemetry } from './telemetry-store.embedded.ts';
import type { TelemetryStore } from './telemetry-store.ts';

const rawRetentionMs = 30 * 86_400_000;
const rollupRetentionMs = 400 * 86_400_000;

describeTelemetryStore('embedded', openEmbedded);
describe.skipIf(inject('influxUrl') === undefined)('beside it', () => describeTelemetryStore('InfluxDB', openInflux));

describe.skipIf(inject('postgresUrl') === undefined)('in the database of all nodes', () =>
  describeTelemetryStore('PostgreSQL', openPostgres),
);

describe.skipIf(inject('postgresUrl') === undefined)('on several databases', () =>
  describeTelemetryStore('spread', openSpread),
);

async function openEmbedded(): Promise<TelemetryFixture> {
  const folders: string[] = [];
  const openIn = (folder: string) =>
    openEmbeddedTelemetry({
      folder,
      rawRetentionMs,
      rollupRetentionMs,
      onDamage: (message) => {
        throw new Error(message);
      },
      onFatal: (error) => {
        throw error;
      },
    });
  const createFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'weft-telemetry-'));
    folders.push(folder);
    return folder;
  };
  const folder = createFolder();
  let store = await openIn(folder);
  const openAnew = async () => {
    await store.close();
    store = await openIn(folder);
    return store;
  };
  return {
    store,
    moves: [
      openAnew,
      async () => {
        await store.sealAll();
        return store;
      },
      openAnew,
    ],
    openAnother: () => openIn(createFolder()),
    remove: async () => {
      await store.close();
      for (const one of folders) rmSync(one, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<TelemetryFixture> {
  const opened: PostgresTelemetryStore[] = [];
  const namespaces: DatabaseNamespace[] = [];
  const createNamespace = async () => {
    namespaces.push(await databaseKinds.postgres.createNamespace({ isBare: true }));
    return namespaces.at(-1)!.address;
  };
  const openOn = (url: string) => {
    opened.push(openPostgresTelemetry({ url, rawRetentionMs, rollupRetentionMs, onChange: () => {} }));
    return opened.at(-1)!;
  };
  const url = await createNamespace();
  const store = openOn(url);
  const otherNode = async () => openOn(url);
  const sealed = async () => {
    while (await store.seal({ everything: true }));
    return store;
  };
  return {
    store,
    moves: [otherNode, sealed, otherNode],
    openAnother: async () => openOn(await createNamespace()),
    remove: async () => {
      await Promise.all(opened.map((each) => each.close()));
      await Promise.all(namespaces.map((namespace) => namespace.remove()));
    },
  };
}

/** Two databases and two nodes; places are in an SQLite of their own. */
async function openSpread(): Promise<TelemetryFixture> {
  const opened: TelemetryStore[] = [];
  const stores: PostgresTelemetryStore[] = [];
  const namespaces: DatabaseNamespace[] = [];
  const createNamespace = async (kind: DatabaseKind, isBare: boolean) => {
    namespaces.push(await kind.createNamespace({ isBare }));
    return namespaces.at(-1)!;
  };
  const createPlaces = async () => ({
    urls: [
      await createNamespace(databaseKinds.postgres, true),
      await createNamespace(databaseKinds.postgres, true),
    ].map(({ address }) => address),
    accounts: await createNamespace(databaseKinds.sqlite, false),
  });
  const openOn = async ({ urls, accounts }: Awaited<ReturnType<typeof createPlaces>>) => {
    const servers = urls.map((url) => {
      stores.push(openPostgresTelemetry({ url, rawRetentionMs, rollupRetentionMs, onChange: () => {} }));
      return { place: url, store: stores.at(-1)! };
    });
    const store = new SpreadTelemetryStore({ servers, places: createPlaceStore(accounts.open()), onChange: () => {} });
    opened.push(store);
    await store.prepare();
    return store;
  };
  const places = await createPlaces();
  const store = await openOn(places);
  const own = stores.slice();
  const otherNode = () => openOn({ ...places, urls: places.urls.toReversed() });
  const sealed = async () => {
    for (const each of own) while (await each.seal({ everything: true }));
    return store;
  };
  return {
    store,
    // Each server by itself is asked everything as well.
    isCostly: true,
    moves: [otherNode, sealed, otherNode],
    openAnother: async () => openOn(await createPlaces()),
    remove: async () => {
      await Promise.all(opened.map((each) => each.close()));
      await Promise.all(namespaces.map((namespace) => namespace.remove()));
    },
  };
}

async function openInflux(): Promise<TelemetryFixture> {
  const opened: TelemetryStore[] = [];
  const databases: string[] = [];
  const server = inject('influxUrl')!;
  const createDatabase = () => {
    databases.push(`test_${randomUUID()}`);
    return databases.at(-1)!;
  };
  const openOn = (database: string) => {
    const url = new URL(server);
    url.searchParams.set('db', database);
    const store = openInfluxTelemetry({ url: url.href, rawRetentionMs });
    opened.push(store);
    return store;
  };
  const database = createDatabase();
  return {
    store: openOn(database),
    // Another node.
    moves: [async () => openOn(database)],
    openAnother: async () => openOn(createDatabase()),
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
      for (const name of databases) {
        await fetch(`${server}/query?q=${encodeURIComponent(`DROP DATABASE "${name}"`)}`, { method: 'POST' });
      }
    },
  };
}
