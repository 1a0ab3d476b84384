import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { createAgentStore } from '../agents/agent-store.sql.ts';
import { createJobStore } from '../jobs/store/job-store.sql.ts';
import { describeEmulatorRunStore } from './emulator-run-store.contract.ts';
import { createEmulatorRunStore } from './emulator-run-store.sql.ts';

eachDatabase((kind) => {
  describeEmulatorRunStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [store, otherNode] = nodes.map((db) =>
      createEmulatorRunStore(db, createAgentStore(db), createJobStore(db)),
    ) as [ReturnType<typeof createEmulatorRunStore>, ReturnType<typeof createEmulatorRunStore>];
    const [, database] = nodes;
    return { store, otherNode, agents: createAgentStore(database), database, jobs: createJobStore(database), remove };
  });
});
