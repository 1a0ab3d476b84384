// Every change that a store makes takes an `also` and keeps its promise: it runs with the change, after it, and only then.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { system } from '../../base/caller.ts';
import type { InSameTransaction, SqlDatabase } from '../../base/storage/sql-database.ts';
import { AgentStore } from '../agents/agent-store.ts';
import { EnrolmentTokenStore } from '../agents/enrolment-token-store.ts';
import { ThirdPartyAppStore } from '../third-party-apps/third-party-app-store.ts';
import { ResetTokenStore } from '../users/reset-token-store.ts';
import { UserStore } from '../users/user-store.ts';

const now = 1_790_000_000_000;
const enabled = { disabled_at: null, disabled_by: null, waiting_since: null, grants: [] };
const user = {
  id: 'u',
  username: 'ada@x',
  password_hash: 'h1',
  roles: ['user'],
  ver: 'v1',
  created_at: now,
  ...enabled,
};
const disabling = { disabled_at: now, disabled_by: 'root@x', ver: 'v2' };
const root = { ...user, id: 'r', username: 'root@x', roles: ['admin'] };
const agent = agentNamed('ap-1', { configuration: { site: 'a' } });
const other = agentNamed('ap-2');
const app = { id: 'a', app_name: 'app', api_key_encrypted: 'c1', permissions: {}, ver: 'v1', created_at: now };
const token = {
  id: 't',
  token_hash: 'hash of t',
  ap_id_pattern: '*',
  created_by: 'r',
  created_at: now,
  expires_at: now + 1000,
  max_uses: 1,
  uses: 0,
  site: null,
  tags: [],
  managed_by: null,
};
const resetToken = { token_hash: 'hash of r', user_id: 'u', created_at: now, expires_at: now + 1000 };
const reset = { password_hash: 'h2', ver: 'v2' };

type Also = InSameTransaction<unknown>;
type Stores = ReturnType<typeof openStores>;

function openStores(database: SqlDatabase) {
  return {
    users: new UserStore(database),
    resetTokens: new ResetTokenStore(database),
    agents: new AgentStore(database),
    enrolmentTokens: new EnrolmentTokenStore(database),
    apps: new ThirdPartyAppStore(database),
  };
}

interface Change {
  name: string;
  prepare?: (stores: Stores) => Promise<unknown>;
  run: (stores: Stores, also: Also) => Promise<unknown>;
  changed: { before?: unknown; after?: unknown };
  /** Run again right after, it has nothing left to do; or it replaces what is there once more. */
  isRepeatable?: true;
}

const changes: Change[] = [
  { name: 'users.create', run: ({ users }, also) => users.create(user, also), changed: { after: user } },
  {
    name: 'users.createFirstAdmin',
    run: ({ users }, also) => users.createFirstAdmin(root, also),
    changed: { after: root },
  },
  {
    name: 'users.update',
    prepare: ({ users }) => users.create(user),
    run: ({ users }, also) => users.update('ada@x', { roles: ['admin'], ver: 'v2' }, also),
    changed: { before: user, after: { ...user, roles: ['admin'], ver: 'v2' } },
    isRepeatable: true,
  },
  {
    name: 'users.remove',
    prepare: ({ users }) => users.create(user),
    run: ({ users }, also) => users.remove('ada@x', also),
    changed: { before: user },
  },
  {
    name: 'users.disable',
    prepare: ({ users }) => users.create(user),
    run: ({ users }, also) => users.disable('ada@x', disabling, also),
    changed: { before: user, after: { ...user, ...disabling } },
  },
  {
    name: 'users.enable',
    prepare: async ({ users }) => {
      await users.create(user);
      await users.disable('ada@x', disabling);
    },
    run: ({ users }, also) => users.enable('ada@x', also),
    changed: { before: { ...user, ...disabling }, after: { ...user, ver: 'v2' } },
  },
  {
    name: 'resetTokens.redeem',
    prepare: async ({ users, resetTokens }) => {
      await users.create(user);
      await resetTokens.create(resetToken, 3);
    },
    run: ({ resetTokens }, also) => resetTokens.redeem('hash of r', now, reset, also),
    changed: { after: { id: 'u', username: 'ada@x' } },
  },
  { name: 'agents.create', run: ({ agents }, also) => agents.create(agent, also), changed: { after: agent } },
  {
    name: 'agents.update',
    prepare: ({ agents }) => agents.create(agent),
    run: ({ agents }, also) => agents.update('ap-1', { onboard: true, ver: 'v2' }, also),
    changed: { before: agent, after: { ...agent, onboard: true, ver: 'v2' } },
    isRepeatable: true,
  },
  {
    name: 'agents.changeConfiguration',
    prepare: ({ agents }) => agents.create(agent),
    run: ({ agents }, also) => agents.changeConfiguration('ap-1', () => ({ site: 'b' }), also),
    changed: { before: agent, after: { ...agent, configuration: { site: 'b' } } },
    isRepeatable: true,
  },
  {
    name: 'agents.remove',
    prepare: ({ agents }) => agents.create(agent),
    run: ({ agents }, also) => agents.remove('ap-1', also),
    changed: { before: agent },
  },
  {
    name: 'enrolmentTokens.create',
    run: ({ enrolmentTokens }, also) => enrolmentTokens.create(token, system, also),
    changed: { after: token },
  },
  {
    name: 'enrolmentTokens.remove',
    prepare: ({ enrolmentTokens }) => enrolmentTokens.create(token, system),
    run: ({ enrolmentTokens }, also) => enrolmentTokens.remove('t', also),
    changed: { before: token },
  },
  {
    name: 'enrolmentTokens.redeem',
    prepare: ({ enrolmentTokens }) => enrolmentTokens.create(token, system),
    run: ({ enrolmentTokens }, also) => enrolmentTokens.redeem('hash of t', now, other, also),
    changed: { after: other },
  },
  { name: 'apps.create', run: ({ apps }, also) => apps.create(app, also), changed: { after: app } },
  {
    name: 'apps.update',
    prepare: ({ apps }) => apps.create(app),
    run: ({ apps }, also) => apps.update('app', { permissions: { read: true } }, { also, onlyVer: 'v1' }),
    changed: { before: app, after: { ...app, permissions: { read: true } } },
    isRepeatable: true,
  },
  {
    name: 'apps.remove',
    prepare: ({ apps }) => apps.create(app),
    run: ({ apps }, also) => apps.remove('app', also),
    changed: { before: app },
  },
];
const updates = changes.filter(({ isRepeatable }) => isRepeatable);
const once = changes.filter(({ isRepeatable }) => !isRepeatable);

const tables = ['users', 'reset_tokens', 'agents', 'enrolment_tokens', 'third_party_apps', 'administration'];

eachDatabase((kind) => {
  let nodes: [SqlDatabase, SqlDatabase];
  let remove: () => Promise<void>;
  let stores: Stores;
  beforeEach(async () => {
    ({ nodes, remove } = await openTwoNodes(kind));
    stores = openStores(nodes[0]);
    await nodes[0].query('CREATE TABLE notes (note TEXT)');
  });
  afterEach(async () => {
    // With the tables of a fresh one, a database is used again.
    await nodes[0].query('DROP TABLE notes');
    await remove();
  });

  const everything = async () =>
    JSON.stringify(await Promise.all(tables.map((table) => nodes[1].query(`SELECT * FROM ${table} ORDER BY 1`))));
  const notes = () => nodes[1].query('SELECT note FROM notes');
  const note: Also = async (tx) => void (await tx.query("INSERT INTO notes VALUES ('noted')"));

  test.each(changes)('$name: told the record before and after, and durable with the change', async (change) => {
    await change.prepare?.(stores);
    const told: unknown[] = [];
    await change.run(stores, async (tx, changed) => {
      told.push(changed);
      await note(tx, changed);
    });
    expect(told).toEqual([change.changed]);
    expect(await notes()).toEqual([{ note: 'noted' }]);
  });

  test.each(changes)('$name: what it throws undoes the change', async (change) => {
    await change.prepare?.(stores);
    const before = await everything();
    const failure = new Error('no');
    const call = change.run(stores, async (tx, changed) => {
      await note(tx, changed);
      throw failure;
    });
    await expect(call).rejects.toBe(failure);
    expect(await everything()).toBe(before);
    expect(await notes()).toEqual([]);
  });

  test.each(once)('$name: not called for a change that is refused or finds nothing to do', async (change) => {
    await change.prepare?.(stores);
    await change.run(stores, async () => {});
    await Promise.resolve(change.run(stores, note)).catch(() => {});
    expect(await notes()).toEqual([]);
  });

  test.each(updates)('$name: not called when there is nothing to change', async ({ run }) => {
    expect(await run(stores, note)).toBeUndefined();
    expect(await notes()).toEqual([]);
  });

  test('users.update, remove and disable: not called when the last administrator has to stay', async () => {
    await stores.users.create(root);
    await expect(stores.users.update('root@x', { roles: ['user'] }, note)).rejects.toThrow('last administrator');
    await expect(stores.users.remove('root@x', note)).rejects.toThrow('last administrator');
    await expect(stores.users.disable('root@x', disabling, note)).rejects.toThrow('last administrator');
    expect(await notes()).toEqual([]);
  });
});
