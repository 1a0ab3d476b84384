import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { type DatabaseNamespace, databaseKinds } from '../../../../../test/databases.ts';
import type { TelemetryFixture } from '../../../../../test/telemetry-fixture.ts';
import { openPostgresTelemetry, type PostgresTelemetryStore } from './postgres/telemetry-store.postgres.ts';
import { describeTelemetryStore } from './telemetry-store.contract.ts';
import { openEmbeddedTelemetry } from './telemetry-store.embedded.ts';

const rawRetentionMs = 30 * 86_400_000;
const rollupRetentionMs = 400 * 86_400_000;

describeTelemetryStore('embedded', openEmbedded);

describe.skipIf(inject('postgresUrl') === undefined)('in the database of all nodes', () =>
  describeTelemetryStore('PostgreSQL', openPostgres),
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
    isCostly: true,
    openAnother: async () => openOn(await createNamespace()),
    remove: async () => {
      await Promise.all(opened.map((each) => each.close()));
      await Promise.all(namespaces.map((namespace) => namespace.remove()));
    },
  };
}
