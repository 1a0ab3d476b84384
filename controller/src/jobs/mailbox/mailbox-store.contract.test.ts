import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { JobStore } from '../store/job-store.ts';
import { describeMailboxStore } from './mailbox-store.contract.ts';
import { MailboxStore } from './mailbox-store.ts';

eachDatabase((kind) => {
  describeMailboxStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new MailboxStore(nodes[0]),
      otherNode: new MailboxStore(nodes[1]),
      jobs: new JobStore(nodes[1]),
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
