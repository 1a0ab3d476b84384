import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { createResetTokenStore } from './reset-token-store.sql.ts';
import { describeUserStore } from './user-store.contract.ts';
import { createUserStore } from './user-store.sql.ts';

eachDatabase((kind) => {
  describeUserStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createUserStore(nodes[0]),
      otherNode: createUserStore(nodes[1]),
      resetTokens: createResetTokenStore(nodes[0]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
