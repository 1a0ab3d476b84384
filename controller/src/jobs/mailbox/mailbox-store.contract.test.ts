import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { createJobStore } from '../store/job-store.sql.ts';
import { describeMailboxStore } from './mailbox-store.contract.ts';
import { createMailboxStore } from './mailbox-store.sql.ts';

eachDatabase((kind) => {
  describeMailboxStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createMailboxStore(nodes[0]),
      otherNode: createMailboxStore(nodes[1]),
      jobs: createJobStore(nodes[1]),
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
