import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { AgentStore } from './agent-store.ts';
import { describeEnrolmentTokenStore } from './enrolment-token-store.contract.ts';
import { EnrolmentTokenStore } from './enrolment-token-store.ts';

eachDatabase((kind) => {
  describeEnrolmentTokenStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new EnrolmentTokenStore(nodes[0]),
      otherNode: new EnrolmentTokenStore(nodes[1]),
      agents: new AgentStore(nodes[0]),
      remove,
    };
  });
});
