import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeCommandStore } from './command-store.contract.ts';
import { createCommandStore } from './command-store.sql.ts';

eachDatabase((kind: DatabaseKind) => {
  describeCommandStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: createCommandStore(nodes[0]), db: nodes[0], remove };
  });
});
