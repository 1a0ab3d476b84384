import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describePresenceStore } from './presence-store.contract.ts';
import { PresenceStore } from './presence-store.ts';

eachDatabase((kind) => {
  describePresenceStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new PresenceStore(nodes[0]),
      otherNode: new PresenceStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
