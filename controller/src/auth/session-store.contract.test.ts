import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { createUserStore } from '../users/user-store.sql.ts';
import { describeSessionStore } from './session-store.contract.ts';
import { createSessionStore } from './session-store.sql.ts';

eachDatabase((kind) => {
  describeSessionStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createSessionStore(nodes[0]),
      otherNode: createSessionStore(nodes[1]),
      users: createUserStore(nodes[0]),
      database: nodes[0],
      remove,
    };
  });
});
