// What nobody asks for is known all the same: tables in memory follow those in the database by themselves.
import { expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft } from '../../../../../test/weft.ts';
import { SiteZones } from '../../../operations/alarms/watch/active-alarms.ts';
import { SiteStore } from '../../accounts/sites/site-store.ts';
import { createEvents } from '../../events.ts';
import { ReplicaRounds } from './replica.ts';

const site = { id: 's', path: 'uk', name: 'Britain', geolocation: null, notes: '', created_at: 0 };

eachDatabase((kind) => {
  test('what another node has changed is known soon, though nobody asks, until the rounds stop', async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    const writer = new SiteStore(nodes[0]);
    const zones = new SiteZones(nodes[1], new SiteStore(nodes[1]));
    const rounds = new ReplicaRounds({ site_zones: zones.replica }, () => {});
    rounds.start(createEvents());
    await writer.create({ ...site, time_zone: 'Europe/London' });
    await untilSo(() => expect(zones.of('uk/bristol')).toBe('Europe/London'));
    await writer.update('s', { ...site, time_zone: 'Europe/Paris' }, () => {});
    await untilSo(() => expect(zones.of('uk/bristol')).toBe('Europe/Paris'));
    await rounds.stop();
    await writer.remove('s');
    expect(zones.of('uk/bristol')).toBe('Europe/Paris');
    await zones.replica.fresh();
    expect(zones.of('uk/bristol')).toBe(undefined);
  });

  test('a table that cannot be read is told of once, and holds up no other', async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    const zones = new SiteZones(nodes[1], new SiteStore(nodes[1]));
    const told: string[] = [];
    let looks = 0;
    const away = { fresh: () => Promise.reject(new Error(`away ${++looks}`)), staleMs: 0 };
    const rounds = new ReplicaRounds({ away, site_zones: zones.replica }, (message) => told.push(message));
    onTestFinished(() => rounds.stop());
    rounds.start(createEvents());
    await new SiteStore(nodes[0]).create({ ...site, time_zone: 'Europe/London' });
    await untilSo(() => expect(zones.of('uk')).toBe('Europe/London'));
    await untilSo(() => expect(looks).toBeGreaterThan(1));
    expect(told).toEqual(['the reading of away is held up; it will be tried again']);
  });
});

test('a gauge says of every table in memory how old it is', async () => {
  const weft = await startWeft();
  onTestFinished(() => weft.stop());
  const { text } = await weft.request('GET', '/metrics', { token: await weft.admin() });
  const tables = [...text.matchAll(/^weft_replica_stale_seconds\{table="(\w+)"\} /gm)].map(([, table]) => table);
  const all = ['agents', 'alarms', 'conflict_rules', 'devices', 'ended_sessions', 'settings', 'site_zones'];
  expect(tables.sort()).toEqual(all);
});
