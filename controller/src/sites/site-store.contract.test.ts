import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { agentNamed } from '../agents/agent-store.contract.ts';
import { createAgentStore } from '../agents/agent-store.sql.ts';
import { describeSiteStore } from './site-store.contract.ts';
import { createSiteStore } from './site-store.sql.ts';

eachDatabase((kind) => {
  describeSiteStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    // What the first node has may be cut off.
    const agents = createAgentStore(nodes[1]);
    return {
      store: createSiteStore(nodes[0]),
      otherNode: createSiteStore(nodes[1]),
      agents: createAgentStore(nodes[0]),
      addAgent: (ap_id, site) => agents.create(agentNamed(ap_id, { site })),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
