import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { createJobStore } from '../../jobs/store/job-store.sql.ts';
import { describeBulkStore } from './bulk-store.contract.ts';
import { createBulkStore } from './bulk-store.sql.ts';

eachDatabase((kind) => {
  describeBulkStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const jobs = createJobStore(nodes[0]);
    return {
      store: createBulkStore(nodes[0], jobs),
      otherNode: createBulkStore(nodes[1], createJobStore(nodes[1])),
      jobs,
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
