// Incidents on both databases: whatever dies in between, and whichever node goes on, the rows say what all of the log says.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { AuditLog } from '../../core/accounts/audit/audit-store.ts';
import { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';
import { orderedUuid } from '../../core/commands/ledger/ordered-uuid.ts';
import { DeviceTable } from '../../core/devices/registry/device-table.ts';
import { type AlarmRecord, AlarmStore } from '../alarms/store/alarm-store.ts';
import { RolloutStore } from '../desired/store/rollout-store.ts';
import { groupAlarms } from './grouping/group-alarms.ts';
import { IncidentKeeper } from './incident-keeper.ts';
import { IncidentStore, toGrouped } from './incident-store.ts';

const start = Date.parse('2026-11-15T12:00:00Z');
const s = 1_000;

const nothing = { ts: new Float64Array(), columns: new Map(), texts: new Map(), resolution_seconds: undefined };

class Killed extends Error {}

eachDatabase((kind) => {
  describe('incidents', () => {
    let databases: [SqlDatabase, SqlDatabase];
    let remove: () => Promise<void>;
    let now: number;
    /** After so many transactions the node is killed. */
    let livesFor = Number.POSITIVE_INFINITY;

    beforeEach(async () => {
      ({ nodes: databases, remove } = await openTwoNodes(kind));
      now = start;
      livesFor = Number.POSITIVE_INFINITY;
    });
    afterEach(() => remove());

    function openNode(database: SqlDatabase): IncidentKeeper {
      return new IncidentKeeper({
        database,
        store: new IncidentStore(database),
        lease: {
          isHeld: true,
          require: async () => {
            if (--livesFor < 0) throw new Killed();
          },
        },
        eventLog: new EventLog(database, { auditLog: new AuditLog(database) }),
        rollouts: new RolloutStore(database),
        telemetry: { rows: async () => nothing, query: async () => nothing },
        registry: { agent: () => undefined, table: new DeviceTable() },
        productOf: (rule_id) => rule_id,
        nameOf: (ap_id) => ap_id,
        placeOf: () => undefined,
        sites: { namesOf: async (paths) => new Map([...paths].map((path) => [path, `Site ${path}`])) },
        onChange: () => {},
        now: () => now,
      });
    }

    async function fire(product: string, ap_id: string, sinceMs: number, more: Partial<AlarmRecord> = {}) {
      const alarms = new AlarmStore(databases[0]);
      const unhandled = { acknowledged_by: null, acknowledged_at: null, note: null, shelved_until: null };
      const unmuted = { shelved_by: null, silenced_by: null, inhibited_by: null, is_announced: true };
      const fired_at = Math.max(now, sinceMs);
      const record: AlarmRecord = {
        id: orderedUuid(fired_at),
        rule_id: product,
        rule: product,
        subject_kind: 'agent',
        subject: ap_id,
        ap_id,
        site: 'uk/hall',
        severity: 'major',
        state: 'firing',
        since: sinceMs,
        fired_at,
        value: null,
        message: `${ap_id}: ${product}`,
        labels: {},
        ...unhandled,
        ...unmuted,
        cleared_at: null,
        cleared_by: null,
        version: 0,
        ...more,
      };
      await databases[0].transaction(async (tx: SqlQueries) => {
        record.version = await alarms.nextVersion(tx);
        await alarms.create(tx, record);
      });
      return record.id;
    }

    const clear = (ap_id: string) =>
      databases[0].query('UPDATE alarms SET cleared_at = ? WHERE ap_id = ? AND cleared_at IS NULL', [now, ap_id]);
    const told = async () => {
      const log = new EventLog(databases[0], { auditLog: new AuditLog(databases[0]) });
      const { events } = await log.read({ kinds: ['incident.*'], limit: 500 });
      return events.map(({ kind: each, subject, text }) => ({ kind: each, subject, text }));
    };

    test('is told once, goes on with what belongs to it, and ends once that has been quiet', async () => {
      const [node, other] = [openNode(databases[0]), openNode(databases[1])];
      const id = await fire('wifi_noise', 'ap-1', now);
      await node.look();
      await other.look();
      now += 40 * s;
      await fire('wifi_retries', 'ap-1', now);
      await other.look();
      now += 300 * s;
      await clear('ap-1');
      await node.look();
      expect((await told()).map(({ kind: each }) => each)).toEqual(['incident.opened']);
      const clearedMs = now;
      now += 200 * s;
      await node.look();
      await other.look();
      expect(await told()).toEqual([
        { kind: 'incident.opened', subject: id, text: 'Incident: ap-1 is jammed on its channel' },
        { kind: 'incident.ended', subject: id, text: 'Over: ap-1 is jammed on its channel' },
      ]);
      expect(await new IncidentStore(databases[0]).get(id)).toMatchObject({ ended_at: clearedMs, merged_into: null });
    });

    test('two turn out to be one: the first has all alarms then, and the other says where they are', async () => {
      const node = openNode(databases[0]);
      const first = await fire('offline', 'ap-1', now);
      now += 100 * s;
      const second = await fire('offline', 'ap-2', now);
      await node.look();
      const about = { subject_kind: 'site', subject: 'uk/hall', ap_id: null };
      await fire('site_away', 'uk/hall', now - 50 * s, about);
      await node.look();
      const store = new IncidentStore(databases[0]);
      expect(await store.get(second)).toMatchObject({ merged_into: first, ended_at: now });
      expect((await store.alarmsOf([first, second])).get(first)).toHaveLength(3);
      expect((await told()).map(({ kind: each, subject }) => [each, subject])).toEqual([
        ['incident.opened', first],
        ['incident.opened', second],
        ['incident.merged', second],
      ]);
      expect((await told())[2]!.text).toBe('Part of another incident: Site uk/hall is away');
    });

    test('of what nobody is told, because it is silenced, no incident is told', async () => {
      await fire('wifi_noise', 'ap-1', now, { is_announced: false, silenced_by: 'a silence' });
      await openNode(databases[0]).look();
      expect(await told()).toEqual([]);
      expect(await new IncidentStore(databases[0]).open(10)).toHaveLength(1);
    });

    const step = fc.record({
      product: fc.constantFrom('offline', 'wifi_noise', 'wifi_retries', 'nr_load', 'clock_skew'),
      ap: fc.integer({ min: 1, max: 3 }),
      waitS: fc.integer({ min: 0, max: 200 }),
      agoS: fc.integer({ min: 0, max: 200 }),
      clears: fc.option(fc.integer({ min: 1, max: 3 })),
      node: fc.constantFrom(0, 1),
      looks: fc.boolean(),
      dies: fc.option(fc.integer({ min: 0, max: 2 })),
    });

    test('nothing is lost or told twice, whenever nodes are killed and whichever goes on', async () => {
      const rounds = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        for (const table of ['alarms', 'incidents', 'incident_impact', 'event_log'])
          await databases[0].query(`DELETE FROM ${table}`);
        for (const { product, ap, waitS, agoS, clears, node, looks, dies } of steps) {
          now += waitS * s;
          await fire(product, `ap-${ap}`, now - agoS * s);
          if (clears !== null) await clear(`ap-${clears}`);
          if (!looks) continue;
          livesFor = dies ?? Number.POSITIVE_INFINITY;
          await openNode(databases[node]!)
            .look()
            .catch((error) => expect(error).toBeInstanceOf(Killed));
        }
        livesFor = Number.POSITIVE_INFINITY;
        await openNode(databases[1]).look();
        const store = new IncidentStore(databases[1]);
        const rows = await databases[1].query<{ id: string; incident_id: string }>(
          'SELECT id, incident_id FROM alarms',
        );
        const incidents = new Set(rows.map(({ incident_id }) => incident_id));
        const grouped = [...(await store.alarmsOf([...incidents])).values()].flat().map(toGrouped);
        expect(grouped).toHaveLength(rows.length);
        const expected = groupAlarms(grouped).map(([first, ...rest]) => [first!, ...rest].map(({ id }) => id));
        const found = expected.map(([id]) => rows.filter((row) => row.incident_id === id).map((row) => row.id));
        expect(found.map((ids) => ids.sort())).toEqual(expected.map((ids) => ids.sort()));
        const opened = (await told()).filter(({ kind: each }) => each === 'incident.opened');
        expect(new Set(opened.map(({ subject }) => subject)).size).toBe(opened.length);
        for (const [id] of expected) expect(opened.map(({ subject }) => subject)).toContain(id);
      });
      await fc.assert(rounds, { numRuns: kind.dialect === 'sqlite' ? 25 : 3, endOnFailure: true });
    });
  });
});
