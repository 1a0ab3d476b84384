import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { MailboxStore } from '../mailbox/mailbox-store.ts';
import { describeJobStore } from './job-store.contract.ts';
import { JobStore } from './job-store.ts';

eachDatabase((kind) => {
  describeJobStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new JobStore(nodes[0]),
      otherNode: new JobStore(nodes[1]),
      mailbox: new MailboxStore(nodes[1]),
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
