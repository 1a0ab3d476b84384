import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { agentNamed } from '../agents/agent-store.contract.ts';
import { AgentStore } from '../agents/agent-store.ts';
import { describeSiteStore } from './site-store.contract.ts';
import { SiteStore } from './site-store.ts';

eachDatabase((kind) => {
  describeSiteStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    // What the first node has may be cut off.
    const agents = new AgentStore(nodes[1]);
    return {
      store: new SiteStore(nodes[0]),
      otherNode: new SiteStore(nodes[1]),
      agents: new AgentStore(nodes[0]),
      addAgent: (ap_id, site) => agents.create(agentNamed(ap_id, { site })),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
