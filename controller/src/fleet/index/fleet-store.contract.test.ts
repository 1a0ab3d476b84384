import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { createAgentStore } from '../../agents/agent-store.sql.ts';
import { createSiteStore } from '../../sites/site-store.sql.ts';
import { describeFleetStore } from './fleet-store.contract.ts';
import { createFleetStore } from './fleet-store.sql.ts';

eachDatabase((kind) => {
  describeFleetStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createFleetStore(nodes[0]),
      agents: createAgentStore(nodes[1]),
      sites: createSiteStore(nodes[1]),
      db: nodes[1],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
