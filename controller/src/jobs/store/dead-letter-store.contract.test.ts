import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeDeadLetterStore } from './dead-letter-store.contract.ts';
import { createDeadLetterStore } from './dead-letter-store.sql.ts';

eachDatabase((kind) => {
  describeDeadLetterStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createDeadLetterStore(nodes[0]),
      otherNode: createDeadLetterStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
