// Run as a child and killed in the middle of a migration: `migrate-once.ts <address> <folder of migrations>`.
import { openPostgres } from '../controller/src/core/base/storage/sql-database.postgres.ts';
import { openSqlite } from '../controller/src/core/base/storage/sql-database.sqlite.ts';

const [address = '', migrationsFolder = ''] = process.argv.slice(2);
const open = address.startsWith('postgres:') ? openPostgres : openSqlite;
const db = open(address, { migrationsFolder });
await db.migrate();
await db.close();
