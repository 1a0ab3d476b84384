import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { describeResetTokenStore } from './reset-token-store.contract.ts';
import { createResetTokenStore } from './reset-token-store.sql.ts';
import { createUserStore } from './user-store.sql.ts';

eachDatabase((kind) => {
  describeResetTokenStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createResetTokenStore(nodes[0]),
      otherNode: createResetTokenStore(nodes[1]),
      users: createUserStore(nodes[0]),
      remove,
    };
  });
});
