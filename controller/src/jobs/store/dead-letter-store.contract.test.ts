import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeDeadLetterStore } from './dead-letter-store.contract.ts';
import { DeadLetterStore } from './dead-letter-store.ts';

eachDatabase((kind) => {
  describeDeadLetterStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new DeadLetterStore(nodes[0]),
      otherNode: new DeadLetterStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
