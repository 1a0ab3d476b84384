import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeCommandStore } from './command-store.contract.ts';
import { CommandStore } from './command-store.ts';

eachDatabase((kind: DatabaseKind) => {
  describeCommandStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: new CommandStore(nodes[0]), db: nodes[0], remove };
  });
});
