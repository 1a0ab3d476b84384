// What many callers make out of one total: whatever they add and remove at once, on several nodes, no bound is exceeded, and nobody
// is refused because of another who has less than a share.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type DatabaseKind, eachDatabase } from '../../../../../test/databases.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { SilenceStore } from '../../../operations/alarms/store/rule-store.ts';
import { LayerStore, takeLayers } from '../../../operations/desired/store/layer-store.ts';
import { RolloutStore } from '../../../operations/desired/store/rollout-store.ts';
import { EnrolmentTokenStore } from '../../accounts/agents/enrolment-token-store.ts';
import { DeviceExtrasStore } from '../../devices/store/device-extras-store.ts';
import { EmulatorRequestStore } from '../../networks/emulator-request-store.ts';
import type { Caller } from '../caller.ts';
import { WeftError } from '../errors.ts';
import type { SqlDatabase } from '../storage/sql-database.ts';
import { insertRecord, runRows } from '../storage/sql-rows.ts';

const userCaller = (id: string, isAdmin = false): Caller => ({ kind: 'user', id, name: id, roles: [], isAdmin });
const root = userCaller('root', true);
const users = Array.from({ length: 12 }, (_, at) => userCaller(`user-${at}`));
const apps = [0, 1].map(
  (at): Caller => ({ kind: 'third_party_app', id: `app-${at}`, name: `app-${at}`, permissions: {} }),
);
/** Who has made what is there before. */
const earlier = Array.from({ length: 12 }, (_, at) => userCaller(`earlier-${at}`));
const ownerOf = ({ kind, id, name }: Caller) => ({ owner_kind: kind, owner_id: id, owner_name: name });
const ofUsers = { may: (by: Caller) => by.kind === 'user' };

interface Kind {
  code: string;
  total: number;
  may?: (by: Caller) => boolean;
  make(db: SqlDatabase, by: Caller, id: string): Promise<unknown>;
  /** Where they are, by which column, and who made each, as text of a query. */
  table: string;
  key?: string;
  maker: string;
}

const day = 86_400_000;
const plan = {
  change_set_id: 'x',
  title: '',
  state: 'running',
  reason: null,
  plan: {},
  wave: 0,
  wave_started_at: null,
} as const;
const changes = { after: [], removed: [], before: {}, ends: {}, accepted_failures: 0 };
const request = (kind: 'what_if' | 'coverage') => (db: SqlDatabase, by: Caller, id: string) =>
  new EmulatorRequestStore(db).create({ id, job_number: 'j', kind, body: {}, expires_at: day }, 1, by);

const kinds: Kind[] = [
  {
    code: 'too_many_change_sets',
    total: 100,
    make: (db, by, id) => {
      const set = {
        id,
        title: '',
        state: 'draft',
        layers: [],
        removed: [],
        base: {},
        created_at: 1,
        updated_at: 1,
      } as const;
      return new RolloutStore(db).createSet(
        { ...set, ...ownerOf(by), layers: [], removed: [], writers: [] },
        by,
        async () => {},
      );
    },
    table: 'config_change_sets',
    maker: 'owner_id',
  },
  {
    code: 'too_many_rollouts',
    total: 10,
    make: (db, by, id) => {
      const record = { ...plan, id, changes, total: 0, measured: [], ...ownerOf(by), created_at: 1, ended_at: null };
      return db.transaction((tx) => new RolloutStore(db).create(tx, by, record, []));
    },
    table: 'config_rollouts',
    maker: 'owner_id',
  },
  {
    code: 'too_many_layers',
    total: 1_000,
    make: (db, by, id) =>
      db.transaction(async (tx) => {
        await takeLayers(tx, by, 1);
        const made = { id, version: 1, owner_kind: by.kind, owner_id: by.id };
        await insertRecord(tx, 'config_layers', 'id, version, owner_kind, owner_id', made);
      }),
    table: 'config_layers',
    maker: 'owner_id',
  },
  {
    code: 'too_many_secrets',
    total: 1_000,
    make: (db, by, name) => {
      const change = { owner_kind: by.kind, owner_id: by.id, seal: () => 'sealed', by };
      return new LayerStore(db).setSecret({ scope: 'all', target: '', name }, change, 1, async () => {});
    },
    table: 'config_secrets',
    key: 'name',
    maker: 'owner_id',
  },
  {
    code: 'too_many_silences',
    total: 1_000,
    ...ofUsers,
    make: (db, by, id) => {
      const record = { id, silence: {}, created_by: by.name, created_at: 1, ends_at: null };
      return db.transaction((tx) => new SilenceStore(db).create(tx, record, by));
    },
    table: 'silences',
    maker: 'created_by',
  },
  {
    code: 'too_many_enrolment_tokens',
    total: 10_000,
    ...ofUsers,
    make: (db, by, id) => {
      const managed_by = by.kind === 'user' && by.isAdmin ? null : by.id;
      const token = { id, token_hash: id, ap_id_pattern: '*', created_by: by.name, created_at: 1, expires_at: day };
      return new EnrolmentTokenStore(db).create(
        { ...token, max_uses: 1, uses: 0, site: null, tags: [], managed_by },
        by,
      );
    },
    table: 'enrolment_tokens',
    maker: `COALESCE(managed_by, 'root')`,
  },
  {
    code: 'too_many_watches',
    total: 1_000,
    make: (db, by, device) => {
      const watch = { device, until: day, caller_kind: by.kind, caller_id: by.id };
      return db.transaction((tx) => new DeviceExtrasStore(db).putWatch(tx, watch, by, 1));
    },
    table: 'device_watches',
    key: 'device',
    maker: 'caller_id',
  },
  { code: 'too_many_what_ifs', total: 8, make: request('what_if'), table: 'emulator_requests', maker: 'asked_by' },
  { code: 'too_many_coverages', total: 16, make: request('coverage'), table: 'emulator_requests', maker: 'asked_by' },
];

/** Rows as `make` makes them, without asking for each. */
async function fill(db: SqlDatabase, kind: Kind, by: Caller, ids: readonly string[]): Promise<void> {
  const { table, make } = kind;
  const [first, ...rest] = ids;
  if (first === undefined) return;
  await make(db, by, first);
  const { key = 'id' } = kind;
  const [row] = await db.query(`SELECT * FROM ${table} WHERE ${key} = ?`, [first]);
  const { [key]: _, ...same } = row!;
  const columns = [key, ...Object.keys(same)];
  const rows = rest.map((id) =>
    columns.map((column) => (column === key || column === 'token_hash' ? id : row![column]!)),
  );
  await runRows(db, `INSERT INTO ${table} (${columns.join(', ')}) VALUES {{rows}}`, rows);
}

async function stockOf(db: SqlDatabase, { table, maker }: Kind): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; count: number }>(
    `SELECT ${maker} AS id, COUNT(*) AS count FROM ${table} GROUP BY ${maker}`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

async function emptied(db: SqlDatabase): Promise<void> {
  for (const { table } of kinds) await db.query(`DELETE FROM ${table}`);
}

async function nodesOf(kind: DatabaseKind): Promise<{ nodes: SqlDatabase[]; remove(): Promise<void> }> {
  const namespace = await kind.createNamespace();
  const nodes = Array.from({ length: kind.dialect === 'postgres' ? 3 : 1 }, () => namespace.open());
  for (const { id, kind: of, ...each } of [root, ...users, ...earlier]) {
    if (of !== 'user') continue;
    const isAdmin = 'isAdmin' in each && each.isAdmin;
    await nodes[0]!.query(
      `INSERT INTO users (username, id, password_hash, roles, is_admin, ver, created_at) VALUES (?, ?, '', '[]', ?, '', 1)`,
      [id, id, isAdmin ? 1 : 0],
    );
  }
  return { nodes, remove: () => namespace.remove() };
}

eachDatabase((dialect) => {
  let nodes: SqlDatabase[];
  beforeAll(async () => {
    const opened = await nodesOf(dialect);
    nodes = opened.nodes;
    return opened.remove;
  });

  test.for(kinds)('$code: callers on several nodes at once', { timeout: 240_000 }, async (kind) => {
    const { total, code, table } = kind;
    const share = Math.max(5, Math.floor(total / 10));
    const most = Math.floor((total * 4) / 5);
    const callers = [...users, ...apps].filter(kind.may ?? (() => true));
    const step = fc.record({
      by: fc.oneof(fc.constantFrom(...callers), fc.constantFrom(root, callers[0]!)),
      node: fc.nat(nodes.length - 1),
      removes: fc.boolean(),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          // How much room is left of what others may have together, and of all.
          ofOthers: fc.integer({ min: 0, max: Math.min(12, most) }),
          ofAll: fc.integer({ min: 0, max: Math.min(15, total - most) }),
          bursts: fc.array(fc.array(step, { minLength: 4, maxLength: 16 }), { minLength: 1, maxLength: 3 }),
        }),
        async ({ ofOthers, ofAll, bursts }) => {
          await emptied(nodes[0]!);
          const ids = (number: number) => Array.from({ length: number }, () => `r-${count++}`);
          const before = most - ofOthers;
          for (let at = 0; at * share < before; at++) {
            const number = Math.min(share, before - at * share);
            await fill(nodes[0]!, kind, earlier[at]!, ids(number));
          }
          await fill(nodes[0]!, kind, root, ids(Math.max(0, total - most - ofAll)));
          for (const burst of bursts) {
            const outcomes = await Promise.allSettled(
              burst.map(async ({ by, node, removes }) => {
                const db = nodes[node]!;
                if (!removes) return kind.make(db, by, `r-${count++}`);
                const { key = 'id' } = kind;
                const mine = `SELECT ${key} FROM ${table} WHERE ${kind.maker} = ? LIMIT 1`;
                return db.query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM (${mine}) one)`, [by.id]);
              }),
            );
            for (const each of outcomes) {
              if (each.status === 'rejected') expect(each.reason).toMatchObject({ code });
            }
            const stock = await stockOf(nodes[0]!, kind);
            const all = [...stock.values()].reduce((sum, number) => sum + number, 0);
            const others = all - (stock.get('root') ?? 0);
            expect(all).toBeLessThanOrEqual(total);
            expect(others).toBeLessThanOrEqual(most);
            for (const [id, number] of stock) if (id !== 'root') expect(number).toBeLessThanOrEqual(share);
            // Whoever is next.
            for (const by of [...new Set(burst.map((one) => one.by)), root]) {
              const own = stock.get(by.id) ?? 0;
              const hasRoom = all < total && (by === root || (own < share && others < most));
              const id = `r-${count++}`;
              const made = await kind.make(nodes[0]!, by, id).then(
                () => true,
                (error: unknown) => {
                  if (!(error instanceof WeftError)) throw error;
                  const whose = own >= share && by !== root ? /^Your share/ : /^All callers/;
                  expect(error.message).toMatch(whose);
                  return false;
                },
              );
              expect([by.id, made]).toEqual([by.id, hasRoom]);
              const { key = 'id' } = kind;
              if (made) await nodes[0]!.query(`DELETE FROM ${table} WHERE ${key} = ?`, [id]);
            }
          }
        },
      ),
      { numRuns: rounds(8) },
    );
  });

  test('what nobody has made takes no share of anybody, and what is above a share stays and may be changed', async () => {
    await emptied(nodes[0]!);
    const [db] = nodes as [SqlDatabase];
    const layers = new LayerStore(db);
    const set = (name: string, by: Caller, owner_kind: string = by.kind) => {
      const change = { owner_kind, owner_id: owner_kind && by.id, seal: () => 'sealed', by };
      return layers.setSecret({ scope: 'all', target: '', name }, change, 1, async () => {});
    };
    const [one, other] = users as [Caller, Caller];
    await set('of nobody', root, '');
    const row = 'scope, target, name, version, value, is_shared, owner_kind, owner_id, updated_at' as const;
    const secret = { scope: 'all', target: '', version: 1, value: '', is_shared: 0, updated_at: 1 };
    for (let at = 0; at < 850; at++) {
      await insertRecord(db, 'config_secrets', row, { ...secret, name: `old-${at}`, owner_kind: '', owner_id: '' });
    }
    for (let at = 0; at < 120; at++) {
      await insertRecord(db, 'config_secrets', row, {
        ...secret,
        name: `one-${at}`,
        owner_kind: 'user',
        owner_id: one.id,
      });
    }
    expect(await set('one-7', one)).toMatchObject({ version: 2, owner_id: one.id });
    await expect(set('more', one)).rejects.toMatchObject({
      name: 'ConflictError',
      message: 'Your share of secrets is 100: 120 of 1000 secrets; remove one or ask an administrator',
    });
    await set('of the other', other);
    for (let at = 972; at < 1_000; at++) await set(`root-${at}`, root);
    for (const by of [root, other]) {
      await expect(set('above', by)).rejects.toMatchObject({
        message: 'All callers together have 1000 of 1000 secrets; remove some',
      });
    }
  });

  test('a fifth of all variables is kept for administrators, and one that is there may be set again', async () => {
    const [db] = nodes as [SqlDatabase];
    const layers = new LayerStore(db);
    const set = (name: string, by: Caller) =>
      layers.setVariable({ scope: 'site', target: 's', name }, 1, by, 1, async () => {});
    await set('first', users[0]!);
    const rows = Array.from({ length: 79_999 }, (_, at) => ['site', 's', `v-${at}`, '1', 1]);
    await runRows(db, 'INSERT INTO config_variables (scope, target, name, value, updated_at) VALUES {{rows}}', rows);
    await expect(set('more', users[0]!)).rejects.toMatchObject({
      code: 'too_many_variables',
      message: expect.stringMatching(/^All callers who are no administrators together have 80000 of 100000 variables/),
    });
    await set('first', users[0]!);
    await set('more', root);
    await db.query('DELETE FROM config_variables');
  });
});
