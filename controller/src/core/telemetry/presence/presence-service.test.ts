// Presence with real stores and a clock of its own: what survives a stop, what survives a kill, what follows changes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { AgentService } from '../../accounts/agents/agent-service.ts';
import { AgentStore } from '../../accounts/agents/agent-store.ts';
import { AuditService } from '../../accounts/audit/audit-service.ts';
import { AuditLog } from '../../accounts/audit/audit-store.ts';
import { CallerChanges } from '../../accounts/audit/caller-changes.ts';
import { type Caller, system } from '../../base/caller.ts';
import { PasswordHasher } from '../../base/password-hasher.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { createEvents } from '../../events.ts';
import { AgentRowStore } from '../../network/agent-row-store.ts';
import { Network } from '../../network/network.ts';
import { openEmbeddedTelemetry } from '../store/telemetry-store.embedded.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { PresenceService, type PresenceServiceOptions } from './presence-service.ts';
import { PresenceStore } from './presence-store.ts';

const start = 1_790_000_000_000;
const user: Caller = { kind: 'user', id: '1', name: 'u', roles: ['user'], isAdmin: false };
let folder: string;
let database: SqlDatabase;
let telemetry: TelemetryStore;
let agents: AgentService;
let network: Network;
let now: number;
let steady: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-presence-'));
  database = openSqlite(join(folder, 'weft.db'));
  await database.migrate();
  telemetry = await openEmbeddedTelemetry({
    folder,
    rawRetentionMs: 30 * 86_400_000,
    rollupRetentionMs: 400 * 86_400_000,
    onDamage: () => {},
    onFatal: () => {},
  });
  const store = new AgentStore(database);
  network = new Network(new AgentRowStore(database));
  agents = new AgentService({
    network,
    agents: store,
    hasher: new PasswordHasher(),
    changes: new CallerChanges(new AuditLog(database), createEvents().callerChanged),
    audit: new AuditService(new AuditLog(database)),
    maxAgents: 100,
  });
  await store.create(agentNamed('ap-1', { configuration: { report_interval_seconds: 10 } }));
  await store.create(agentNamed('ap-2'));
  now = start;
  steady = 0;
});
afterEach(async () => {
  await telemetry.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

function pass(seconds: number): void {
  now += seconds * 1000;
  steady += seconds * 1000;
}

async function open(more: Partial<PresenceServiceOptions> = {}): Promise<PresenceService> {
  const presence = new PresenceService({
    presence: new PresenceStore(database),
    network,
    telemetry,
    onError: (error) => {
      throw error;
    },
    now: () => now,
    steadyNow: () => steady,
    ...more,
  });
  await presence.start();
  return presence;
}

async function states(presence: PresenceService): Promise<string[]> {
  return (await presence.list(user)).map((agent) => `${agent.ap_id} ${agent.presence}`);
}

test('what was seen is known after a restart', async () => {
  const first = await open();
  first.seen('ap-1', now);
  pass(5);
  await first.stop();
  const second = await open();
  expect(await second.list(user)).toMatchObject([
    {
      ap_id: 'ap-1',
      presence: 'online',
      last_seen: new Date(start).toISOString(),
      since: new Date(start).toISOString(),
    },
    { ap_id: 'ap-2', presence: 'offline', last_seen: null, since: null, reason: 'Has not reported.' },
  ]);
  pass(60);
  expect(await states(second)).toEqual(['ap-1 offline', 'ap-2 offline']);
  await second.stop();
});

test('what was seen while the clock was ahead is stale once it is right: the agent goes offline, and stays so', async () => {
  now += 400 * 86_400_000;
  const first = await open();
  first.seen('ap-1', now);
  await telemetry.append('ap-1', [sampleOf(now, { value: 1 })]);
  await first.stop();
  now = start;
  const second = await open();
  expect(await states(second)).toEqual(['ap-1 online', 'ap-2 offline']);
  pass(60);
  expect(await states(second)).toEqual(['ap-1 offline', 'ap-2 offline']);
  await second.stop();
  pass(60);
  const third = await open();
  expect(await states(third)).toEqual(['ap-1 offline', 'ap-2 offline']);
  await third.stop();
});

test('after a kill the newest telemetry counts', async () => {
  const first = await open();
  first.seen('ap-1', now);
  await first.save();
  pass(4);
  await telemetry.append('ap-1', [sampleOf(now, { load: 1 })]);
  await telemetry.append('ap-2', [sampleOf(now + 240_000, { load: 1 })]);
  first.seen('ap-1', now);
  first.seen('ap-2', now);
  // No stop: the first service is left as a kill would leave it.
  const second = await open();
  expect((await second.list(user)).map(({ last_seen }) => last_seen)).toEqual([
    new Date(start + 4000).toISOString(),
    new Date(start + 4000).toISOString(),
  ]);
  await second.stop();
  await first.stop();
});

test('a changed interval counts from the next look on', async () => {
  const presence = await open();
  presence.seen('ap-1', now);
  pass(40);
  expect(await states(presence)).toContain('ap-1 late');
  await agents.update('ap-1', { configuration: { report_interval_seconds: 60 } }, system);
  expect(await states(presence)).toContain('ap-1 online');
  await presence.stop();
});

test('an agent that is removed is forgotten, and its name begins anew', async () => {
  const presence = await open();
  presence.seen('ap-1', now);
  presence.seen('ap-2', now);
  await presence.save();
  await presence.remove('ap-1');
  expect(await states(presence)).toContain('ap-1 offline');
  await agents.remove('ap-2', system);
  await presence.stop();
  const later = await open();
  expect((await new PresenceStore(database).list()).length).toBe(0);
  await later.stop();
});

test('what another node has removed is forgotten, unless its successor has reported', async () => {
  const presence = await open();
  presence.seen('ap-1', now);
  presence.seen('ap-2', now);
  await presence.save();
  presence.gone('ap-1');
  presence.gone('ap-2', now - 1);
  await presence.save();
  expect(await states(presence)).toEqual(['ap-1 offline', 'ap-2 online']);
  expect((await new PresenceStore(database).list()).map(({ ap_id }) => ap_id)).toEqual(['ap-2']);
  await presence.stop();
});

test('the interval of a configuration counts from when it is told, for whoever is told of changes', async () => {
  const presence = await open();
  const told: string[] = [];
  presence.onChange((ap_id) => told.push(`${ap_id} ${presence.stateOf(ap_id)}`));
  presence.seen('ap-2', now);
  pass(40);
  await presence.followOthers();
  expect(presence.away()).toEqual(['ap-2']);
  presence.configured('ap-2', 60_000);
  expect(presence.away()).toEqual([]);
  presence.gone('ap-2');
  expect(told).toEqual(['ap-2 online', 'ap-2 late', 'ap-2 online', 'ap-2 never']);
  await presence.stop();
});

test('what other nodes have heard is read beside those who ask, who wait for it only after a pause', async () => {
  const store = new PresenceStore(database);
  let isHeld = false;
  const release: (() => void)[] = [];
  const held: typeof store = Object.assign(Object.create(store), {
    list: () => store.list(),
    update: store.update.bind(store),
    listSince: async (sinceMs: number) => {
      const records = await store.listSince(sinceMs);
      if (isHeld) await new Promise<void>((resolve) => release.push(resolve));
      return records;
    },
  });
  const here = await open({ presence: held, hasOtherNodes: true });
  const there = await open({ hasOtherNodes: true });
  there.seen('ap-1', now);
  await there.save();
  isHeld = true;
  pass(0.6);
  await here.followOthers();
  expect(here.stateOf('ap-1')).toBe('never');
  await untilSo(() => expect(release).toHaveLength(1));
  release[0]!();
  await untilSo(() => expect(here.stateOf('ap-1')).toBe('online'));
  isHeld = false;
  there.seen('ap-2', now);
  await there.save();
  pass(1);
  await here.followOthers();
  expect(here.stateOf('ap-2')).toBe('online');
  await here.stop();
  await there.stop();
});

test('M4 a clock that is set changes nobody', async () => {
  const presence = await open();
  presence.seen('ap-1', now);
  pass(5);
  now += 3_600_000;
  expect(await states(presence)).toContain('ap-1 online');
  presence.seen('ap-1', now);
  now -= 7_200_000;
  presence.seen('ap-2', now);
  pass(5);
  expect(await states(presence)).toEqual(['ap-1 online', 'ap-2 online']);
  pass(60);
  expect(await states(presence)).toEqual(['ap-1 offline', 'ap-2 offline']);
  await presence.stop();
});

test('what could not be saved is saved later', async () => {
  const presence = await open();
  presence.seen('ap-1', now);
  const table = 'presence';
  await database.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
  await expect(presence.save()).rejects.toThrow();
  await database.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
  await presence.save();
  expect((await new PresenceStore(database).list()).length).toBe(1);
  await presence.stop();
});

test('an agent that holds its channel and has reported nothing is connected, not away', async () => {
  network.columns.transports = ({ ap_id }) => ({ channel: ap_id === 'ap-1', command_ready: false });
  const presence = await open();
  expect((await presence.list(user)).map(({ ap_id, reason }) => [ap_id, reason])).toEqual([
    ['ap-1', 'Connected, has not reported.'],
    ['ap-2', 'Has not reported.'],
  ]);
  await presence.stop();
});
