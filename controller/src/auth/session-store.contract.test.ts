import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { UserStore } from '../users/user-store.ts';
import { describeSessionStore } from './session-store.contract.ts';
import { SessionStore } from './session-store.ts';

eachDatabase((kind) => {
  describeSessionStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new SessionStore(nodes[0]),
      otherNode: new SessionStore(nodes[1]),
      users: new UserStore(nodes[0]),
      database: nodes[0],
      remove,
    };
  });
});
