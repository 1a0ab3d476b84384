import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { MIGRATIONS_FOLDER } from '../storage/migrations.ts';
import { describeDisabledUsers } from './disabled-users.contract.ts';
import { ResetTokenStore } from './reset-token-store.ts';
import { describeUserStore, type UserStoreFixture } from './user-store.contract.ts';
import { UserStore } from './user-store.ts';
import { describeWaitingUsers } from './waiting-users.contract.ts';

eachDatabase((kind) => {
  const open = async (): Promise<UserStoreFixture> => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new UserStore(nodes[0]),
      otherNode: new UserStore(nodes[1]),
      resetTokens: new ResetTokenStore(nodes[0]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  };
  describe('users', () => describeUserStore(open));
  describe('disabled users', () => describeDisabledUsers(open));
  describe('waiting users', () => describeWaitingUsers(open));

  test('users from before there were disabled ones are enabled', async () => {
    const before = mkdtempSync(join(tmpdir(), 'weft-migrations-'));
    const isOlder = (path: string) => !/^\d/.test(basename(path)) || basename(path) < '0008';
    cpSync(MIGRATIONS_FOLDER, before, { recursive: true, filter: isOlder });
    const namespace = await kind.createNamespace({ isBare: true });
    try {
      const older = namespace.open({ migrationsFolder: before });
      await older.migrate();
      await older.query(
        `INSERT INTO users (id, username, password_hash, roles, is_admin, ver, created_at)
         VALUES ('i', 'ada@x', 'h', '["admin"]', 1, 'v', 1)`,
      );
      await older.query('INSERT INTO administration (id, established_at) VALUES (1, 1)');
      const newer = namespace.open();
      await newer.migrate();
      const store = new UserStore(newer);
      expect(await store.get('ada@x')).toMatchObject({ roles: ['admin'], disabled_at: null, disabled_by: null });
      await expect(store.remove('ada@x')).rejects.toMatchObject({ code: 'last_administrator' });
    } finally {
      await namespace.remove();
      rmSync(before, { recursive: true, force: true });
    }
  });
});
