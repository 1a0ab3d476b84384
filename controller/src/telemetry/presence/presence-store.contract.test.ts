import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describePresenceStore } from './presence-store.contract.ts';
import { createPresenceStore } from './presence-store.sql.ts';

eachDatabase((kind) => {
  describePresenceStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createPresenceStore(nodes[0]),
      otherNode: createPresenceStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
