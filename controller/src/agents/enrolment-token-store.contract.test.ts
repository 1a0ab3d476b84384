import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { createAgentStore } from './agent-store.sql.ts';
import { describeEnrolmentTokenStore } from './enrolment-token-store.contract.ts';
import { createEnrolmentTokenStore } from './enrolment-token-store.sql.ts';

eachDatabase((kind) => {
  describeEnrolmentTokenStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createEnrolmentTokenStore(nodes[0]),
      otherNode: createEnrolmentTokenStore(nodes[1]),
      agents: createAgentStore(nodes[0]),
      remove,
    };
  });
});
