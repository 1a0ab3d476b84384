// What the store of commands promises, on both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { type SqlDatabase, UniqueViolation } from '../../base/storage/sql-database.ts';
import type { Lease } from '../arbitration/conflict-intent.ts';
import type { Changes, CommandRecord, ReadSetFields, StateRecord } from './command-record.ts';
import { CommandStore } from './command-store.ts';

interface CommandStoreFixture {
  store: CommandStore;
  db: SqlDatabase;
  remove(): Promise<void>;
}

let count = 0;

function commandOf(given: Partial<CommandRecord> = {}): CommandRecord {
  const id = `c-${String(++count).padStart(6, '0')}`;
  return {
    command_id: id,
    job_number: `j-${id}`,
    ap_id: 'ap-1',
    agent_id: 'agent-1',
    name: 'set_tx_power',
    text: 'set_tx_power \'3\' "ü"',
    sealed: 'v1.x.y.z',
    ...{ args: { dbm: 3, deep: { a: [1, 'ü', null] } }, sent_args: { dbm: 3 }, parameter: 'tx_power' },
    parameter_group: 'wifi_coverage',
    caller_kind: 'third_party_app',
    caller_id: 'app-1',
    caller_name: 'one',
    owner_kind: 'third_party_app',
    owner_id: 'app-1',
    rank: 1,
    priority: 50,
    state: 'queued',
    verdict: 'accepted',
    reason: 'free',
    detail: 'Free',
    rival: null,
    hold_until: 5000,
    created_at: 1000,
    expires_at: 600_000,
    deliver_after: null,
    due_at: 1000,
    sent_at: null,
    received_at: null,
    ended_at: null,
    idempotency_key: null,
    guard: null,
    settle_ms: null,
    guard_until: null,
    guard_state: null,
    rolled_back_by: null,
    inverse_of: null,
    batch_id: null,
    applied: null,
    previous: null,
    intent: null,
    result: null,
    ...given,
  };
}

function leaseOf(given: Partial<Lease> = {}): Lease {
  return {
    ap_id: 'ap-1',
    parameter: 'tx_power',
    parameter_group: 'wifi_coverage',
    command_id: 'c-1',
    caller_kind: 'third_party_app',
    caller_id: 'app-1',
    caller_name: 'one',
    rank: 1,
    priority: 50,
    ...{ value: { name: 'set_tx_power', args: { dbm: 3 } }, since: 1000, until: 5000, ...given },
  };
}

function stateOf(given: Partial<StateRecord> = {}): StateRecord {
  return {
    ap_id: 'ap-1',
    parameter: 'tx_power',
    recent: [{ value: 'v', caller_id: 'app-1', rank: 1, at: 1000 }],
    frozen_until: null,
    changed_at: 1000,
    value: null,
    ...given,
  };
}

const nothing = { created: [], moved: [], changed: [], endedLeases: [], leases: [], states: [] };

function describeCommandStore(open: () => Promise<CommandStoreFixture>): void {
  let fixture: CommandStoreFixture;
  let store: CommandStore;
  const write = (changes: Partial<Changes>) =>
    fixture.db.transaction((tx) => store.write(tx, { ...nothing, ...changes }));
  const create = async (...created: CommandRecord[]) => {
    await write({ created });
    return created;
  };
  const find = (wanted: Partial<ReadSetFields>, nowMs = 2000) =>
    fixture.db.transaction((tx) =>
      store.find(
        tx,
        {
          commands: new Set(),
          leases: [],
          near: new Map(),
          runs: new Set(),
          states: [],
          keys: [],
          owners: new Set(),
          ...wanted,
        },
        nowMs,
      ),
    );
  const idsOf = (commands: readonly CommandRecord[]) => commands.map(({ command_id }) => command_id);

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  describe('commands', () => {
    test('get gives back what was created, or undefined', async () => {
      const [command] = await create(
        commandOf({
          guard: 'a<1',
          settle_ms: 5,
          result: '{"a":1}',
          applied: { a: 1 },
          previous: { name: 'x', args: {} },
        }),
      );
      expect(await store.get(command!.command_id)).toEqual(command);
      expect(await store.get('nothing')).toBeUndefined();
    });

    test('a key belongs to one command of an owner', async () => {
      await create(commandOf({ idempotency_key: 'k' }));
      await create(commandOf({ idempotency_key: 'k', owner_id: 'app-2' }));
      await expect(create(commandOf({ idempotency_key: 'k' }))).rejects.toThrow(UniqueViolation);
    });

    test('moved writes state, detail and times only, changed the rest as well; many at once', async () => {
      const all = await create(...Array.from({ length: 70 }, () => commandOf()));
      const moved = all.map((command) => ({
        ...command,
        state: 'sent' as const,
        sent_at: 7,
        due_at: 8,
        result: '"no"',
      }));
      await write({ moved });
      expect(await store.get(all[69]!.command_id)).toEqual({ ...all[69], state: 'sent', sent_at: 7, due_at: 8 });
      const changed = { ...moved[0]!, verdict: 'accepted_modified' as const, applied: { a: 1 }, result: '"yes"' };
      await write({ changed: [changed] });
      expect(await store.get(changed.command_id)).toEqual(changed);
    });

    test('list: newest first, by owner, agent, state and batch, in pages', async () => {
      const [a, b, c] = await create(
        commandOf({ created_at: 1 }),
        commandOf({ created_at: 2, ap_id: 'ap-2', state: 'sent', batch_id: 'b' }),
        commandOf({ created_at: 2, owner_id: 'app-2' }),
      );
      expect(idsOf(await store.list({ limit: 10 }))).toEqual(idsOf([c!, b!, a!]));
      expect(
        idsOf(await store.list({ limit: 10, owner: { owner_kind: 'third_party_app', owner_id: 'app-1' } })),
      ).toEqual(idsOf([b!, a!]));
      expect(idsOf(await store.list({ limit: 10, owner: { owner_kind: 'user', owner_id: 'app-1' } }))).toEqual([]);
      expect(idsOf(await store.list({ limit: 10, ap_id: 'ap-2' }))).toEqual(idsOf([b!]));
      expect(idsOf(await store.list({ limit: 10, state: 'sent' }))).toEqual(idsOf([b!]));
      expect(idsOf(await store.list({ limit: 10, batch_id: 'b' }))).toEqual(idsOf([b!]));
      expect(idsOf(await store.list({ limit: 1, before: c! }))).toEqual(idsOf([b!]));
    });

    test('listDue: oldest first, what is due, or all that is not acknowledged; nothing expired', async () => {
      const [a, b] = await create(
        commandOf({ created_at: 2 }),
        commandOf({ created_at: 1, state: 'sent', due_at: 9000 }),
        commandOf({ state: 'received', due_at: null }),
        commandOf({ ended_at: 5, due_at: 1 }),
        commandOf({ expires_at: 2000 }),
        commandOf({ ap_id: 'ap-2' }),
      );
      expect(idsOf(await store.listDue(['ap-1'], 3000, false, 10))).toEqual(idsOf([a!]));
      expect(idsOf(await store.listDue(['ap-1'], 3000, true, 10))).toEqual(idsOf([b!, a!]));
      expect(await store.listDue(['ap-1'], 3000, true, 1)).toHaveLength(1);
    });

    test('listDue: what was never sent is due although the clock of the node that accepted it is ahead', async () => {
      const [early] = await create(commandOf({ due_at: 3001 }), commandOf({ deliver_after: 5000, due_at: null }));
      expect(idsOf(await store.listDue(['ap-1'], 3000, false, 10))).toEqual(idsOf([early!]));
      expect(idsOf(await store.listUnderWay(['ap-1'], 3000))).toEqual(idsOf([early!]));
    });

    test('listUnsent: agents of what became due then and was not sent, ended or deferred', async () => {
      await create(
        ...[2000, 2001].map((due_at) => commandOf({ ap_id: 'ap-1', due_at })),
        ...[1999, 3001].map((due_at, index) => commandOf({ ap_id: `ap-${index + 2}`, due_at })),
        commandOf({ ap_id: 'ap-4', state: 'sent', due_at: 2500 }),
        commandOf({ ap_id: 'ap-5', ended_at: 5, due_at: 2500 }),
        commandOf({ ap_id: 'ap-6', deliver_after: 5000, due_at: null }),
      );
      expect(await store.listUnsent(2000, 3000, 10)).toEqual(['ap-1']);
    });

    test('listUnderWay: what was sent or is due, whether or not it was received; nothing deferred, ended or expired', async () => {
      const [due, sent, received] = await create(
        commandOf({ created_at: 1 }),
        commandOf({ created_at: 2, state: 'sent', sent_at: 2500, due_at: 9000 }),
        commandOf({ created_at: 3, state: 'received', sent_at: 2500, due_at: null }),
        commandOf({ deliver_after: 5000, due_at: null }),
        commandOf({ ended_at: 5, due_at: 1 }),
        commandOf({ expires_at: 2000 }),
        commandOf({ ap_id: 'ap-2' }),
      );
      const found = await store.listUnderWay(['ap-1', 'ap-9'], 3000);
      expect(idsOf(found).sort()).toEqual(idsOf([due!, sent!, received!]).sort());
    });

    test('what time brings: overdue, deferred, unacknowledged, guarded', async () => {
      const [late, waits, sent, watched] = await create(
        commandOf({ expires_at: 10, created_at: 1 }),
        commandOf({ deliver_after: 50, due_at: null }),
        commandOf({ ap_id: 'ap-3', state: 'sent', due_at: 60 }),
        commandOf({ guard: 'a<1', guard_until: 70, ended_at: 5 }),
      );
      expect(await store.listOverdue(10, 10)).toEqual([late!.command_id]);
      expect(idsOf(await store.listDeferred(49, 10))).toEqual([]);
      expect(idsOf(await store.listDeferred(50, 10))).toEqual([waits!.command_id]);
      expect(await store.nextDeferred()).toBe(50);
      expect(await store.listUnacknowledged(60, '', 10)).toEqual([sent!.ap_id]);
      expect(await store.listUnacknowledged(60, 'ap-3', 10)).toEqual([]);
      expect(idsOf(await store.listGuarded(10))).toEqual([watched!.command_id]);
      expect((await store.listOpen('ap-1')).sort()).toEqual(idsOf([late!, waits!, watched!]).sort());
    });

    test('prune forgets what is old, and nothing that is open or watched', async () => {
      const [open, watched] = await create(
        commandOf(),
        commandOf({ ended_at: 1, guard_until: 9 }),
        commandOf({ ended_at: 1 }),
        commandOf({ ended_at: 2 }),
      );
      await write({ leases: [leaseOf({ until: 3 })], states: [stateOf({ changed_at: 4 })] });
      const times = { nowMs: 10, commandsBefore: 10, statesBefore: 10 };
      expect(await store.prune(times, 1)).toBe(true);
      while (await store.prune(times, 1));
      expect(idsOf(await store.list({ limit: 10 })).sort()).toEqual(idsOf([open!, watched!]).sort());
      expect(await store.hasTraces('ap-1')).toBe(false);
    });
  });

  describe('find', () => {
    test('commands by id and by key, states and open counts', async () => {
      const [a, b] = await create(commandOf(), commandOf({ idempotency_key: 'k' }), commandOf({ ended_at: 1 }));
      await write({ states: [stateOf({ frozen_until: 9 }), stateOf({ parameter: 'other' })] });
      const found = await find({
        ...{
          commands: new Set([a!.command_id, 'none']),
          keys: [
            ['app-1', 'k'],
            ['app-2', 'k'],
          ],
        },
        ...{
          states: [
            ['ap-1', 'tx_power'],
            ['ap-2', 'tx_power'],
          ],
          owners: new Set(['app-1', 'app-3']),
        },
      });
      expect(found.commands).toEqual([a, b]);
      expect(found.states).toEqual([stateOf({ frozen_until: 9 })]);
      expect([...found.openOf]).toEqual([['app-1', 2]]);
    });

    test('leases: live ones on the parameters, and those of a group on agents nearby', async () => {
      const own = leaseOf();
      const other = leaseOf({ caller_id: 'app-2', caller_name: 'two' });
      const near = leaseOf({ ap_id: 'ap-2' });
      await write({
        leases: [own, other, near, leaseOf({ parameter: 'x' }), leaseOf({ ap_id: 'ap-3', parameter_group: 'g' })],
      });
      const wanted = {
        leases: [['ap-1', 'tx_power']] as [string, string][],
        near: new Map([['wifi_coverage', new Set(['ap-2', 'ap-3'])]]),
      };
      const { leases } = await find(wanted, 4999);
      expect(leases).toHaveLength(3);
      expect(leases).toEqual(expect.arrayContaining([own, other, near]));
      expect((await find(wanted, 5000)).leases).toEqual([]);
    });
  });

  test('a caller has one lease on a parameter; only this very lease is ended', async () => {
    const wanted = { leases: [['ap-1', 'tx_power']] as [string, string][] };
    await write({ leases: [leaseOf()] });
    const newer = leaseOf({ command_id: 'c-2', until: 6000 });
    await write({ leases: [newer] });
    await write({ endedLeases: [leaseOf()] });
    expect((await find(wanted)).leases).toEqual([newer]);
    await write({ endedLeases: [newer] });
    expect((await find(wanted)).leases).toEqual([]);
  });

  test('forgetAgent leaves nothing of an agent, and other agents alone', async () => {
    await write({ leases: [leaseOf(), leaseOf({ ap_id: 'ap-2' })], states: [stateOf(), stateOf({ ap_id: 'ap-2' })] });
    expect(await store.hasTraces('ap-1')).toBe(true);
    await fixture.db.transaction((tx) => store.forgetAgent(tx, 'ap-1'));
    expect([await store.hasTraces('ap-1'), await store.hasTraces('ap-2')]).toEqual([false, true]);
  });

  test('roll-outs: so many of an owner, each stage taken once, gone when done', async () => {
    const batch = (batch_id: string, next_at = 10) => ({ batch_id, owner_id: 'app-1', next_at, plan: '{}' });
    await store.createBatch(batch('a'), 2);
    await store.createBatch(batch('b', 20), 2);
    await expect(store.createBatch(batch('c'), 2)).rejects.toMatchObject({ code: 'too_many_batches' });
    expect((await store.takeBatches(15, 100, 10)).map(({ batch_id }) => batch_id)).toEqual(['a']);
    expect(await store.takeBatches(15, 100, 10)).toEqual([]);
    await store.updateBatch('a', '{"x":1}', 16);
    expect(await store.takeBatches(16, 100, 10)).toMatchObject([{ batch_id: 'a', plan: '{"x":1}' }]);
    expect(await store.hasBatch('a')).toBe(true);
    await store.updateBatch('a', '{}', undefined);
    expect(await store.hasBatch('a')).toBe(false);
    expect(await store.takeBatches(1000, 100, 10)).toMatchObject([{ batch_id: 'b' }]);
  });
}

eachDatabase((kind: DatabaseKind) => {
  describeCommandStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: new CommandStore(nodes[0]), db: nodes[0], remove };
  });
});
