// Changes at the same time on two nodes: each that took effect has its entry, and one that came too late has none.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { passwordCost } from '../../../../../test/weft.ts';
import { system } from '../../base/caller.ts';
import { PasswordHasher } from '../../base/password-hasher.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { createEvents } from '../../events.ts';
import { UserService } from '../users/user-service.ts';
import { UserStore } from '../users/user-store.ts';
import { AuditService } from './audit-service.ts';
import { AuditLog } from './audit-store.ts';
import { CallerChanges } from './caller-changes.ts';

eachDatabase((kind) => {
  let log: AuditLog;
  let services: [UserService, UserService];
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const opened = await openTwoNodes(kind);
    remove = opened.remove;
    log = new AuditLog(opened.nodes[0]);
    services = [serviceOn(opened.nodes[0]), serviceOn(opened.nodes[1])];
  });
  afterEach(() => remove());

  const serviceOn = (database: SqlDatabase) =>
    new UserService({
      users: new UserStore(database),
      hasher: new PasswordHasher(undefined, passwordCost),
      changes: new CallerChanges(new AuditLog(database), createEvents().callerChanged),
      audit: new AuditService(new AuditLog(database)),
      maxUsers: 1000,
    });
  const newUser = (n: number) => ({ username: `user-${n}@x.test`, password: 'a long password', roles: ['user'] });
  const actions = async () => (await log.list({ limit: 500 })).entries.map(({ action }) => action);

  test('fifty changes leave fifty entries without a gap or a fork', async () => {
    const created = Promise.all(Array.from({ length: 25 }, (_, n) => services[n % 2]!.create(newUser(n), system)));
    await created;
    await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        services[(n + 1) % 2]!.update(newUser(n).username, { roles: ['admin'] }, system),
      ),
    );
    expect(await log.verify()).toMatchObject({ isWhole: true, count: 50 });
    expect((await actions()).filter((action) => action === 'user_updated')).toHaveLength(25);
  });

  test('of the same change at once, one is a change', async () => {
    await services[0].create(newUser(1), system);
    const change = () => services[0].update(newUser(1).username, { roles: ['admin'] }, system);
    await Promise.all([change(), change(), change()]);
    expect(await actions()).toEqual(['user_updated', 'user_created']);
  });

  test('of the same name at once, one is created', async () => {
    const calls = await Promise.allSettled(services.map((service) => service.create(newUser(1), system)));
    expect(calls.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await actions()).toEqual(['user_created']);
  });
});
