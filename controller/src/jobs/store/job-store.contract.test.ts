import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { createMailboxStore } from '../mailbox/mailbox-store.sql.ts';
import { describeJobStore } from './job-store.contract.ts';
import { createJobStore } from './job-store.sql.ts';

eachDatabase((kind) => {
  describeJobStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createJobStore(nodes[0]),
      otherNode: createJobStore(nodes[1]),
      mailbox: createMailboxStore(nodes[1]),
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
