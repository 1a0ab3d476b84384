import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { JobStore } from '../../jobs/store/job-store.ts';
import { describeBulkStore } from './bulk-store.contract.ts';
import { BulkStore } from './bulk-store.ts';

eachDatabase((kind) => {
  describeBulkStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const jobs = new JobStore(nodes[0]);
    return {
      store: new BulkStore(nodes[0], jobs),
      otherNode: new BulkStore(nodes[1], new JobStore(nodes[1])),
      jobs,
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
