// Run as a child and killed in the middle: creates users without end, removes every second one, and prints what it
// has done once the store says that it is durable.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { UserStore } from '../controller/src/core/accounts/users/user-store.ts';
import { openSqlite } from '../controller/src/core/base/storage/sql-database.sqlite.ts';

const [file = '', round = ''] = process.argv.slice(2);
const db = openSqlite(file);
await db.migrate();
const store = new UserStore(db);
for (let n = 0; ; n += 1) {
  const username = `u${round}-${n}@x`;
  const record = { id: randomUUID(), username, password_hash: 'h', roles: ['user'], ver: 'v', created_at: 0 };
  await store.create({ ...record, disabled_at: null, disabled_by: null, waiting_since: null, grants: [] });
  writeSync(1, `created ${username}\n`);
  if (n % 2) {
    await store.remove(username);
    writeSync(1, `removed ${username}\n`);
  }
}
