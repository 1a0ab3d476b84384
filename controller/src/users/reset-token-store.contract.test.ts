import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { describeResetTokenStore } from './reset-token-store.contract.ts';
import { ResetTokenStore } from './reset-token-store.ts';
import { UserStore } from './user-store.ts';

eachDatabase((kind) => {
  describeResetTokenStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new ResetTokenStore(nodes[0]),
      otherNode: new ResetTokenStore(nodes[1]),
      users: new UserStore(nodes[0]),
      remove,
    };
  });
});
