import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { AgentStore } from '../agents/agent-store.ts';
import { JobStore } from '../jobs/store/job-store.ts';
import { describeEmulatorRunStore } from './emulator-run-store.contract.ts';
import { EmulatorRunStore } from './emulator-run-store.ts';

eachDatabase((kind) => {
  describeEmulatorRunStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [store, otherNode] = nodes.map((db) => new EmulatorRunStore(db, new AgentStore(db), new JobStore(db))) as [
      EmulatorRunStore,
      EmulatorRunStore,
    ];
    const [, database] = nodes;
    return { store, otherNode, agents: new AgentStore(database), database, jobs: new JobStore(database), remove };
  });
});
