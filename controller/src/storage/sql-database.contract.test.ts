import { eachDatabase } from '../../../test/databases.ts';
import { describeSqlDatabase } from './sql-database.contract.ts';

eachDatabase((kind) => {
  describeSqlDatabase(async () => {
    const namespace = await kind.createNamespace({ isBare: true });
    return { db: namespace.open(), otherNode: namespace.open(), remove: () => namespace.remove() };
  });
});
