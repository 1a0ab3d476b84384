import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { AgentStore } from '../../agents/agent-store.ts';
import { SiteStore } from '../../sites/site-store.ts';
import { describeFleetStore } from './fleet-store.contract.ts';
import { FleetStore } from './fleet-store.ts';

eachDatabase((kind) => {
  describeFleetStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new FleetStore(nodes[0]),
      agents: new AgentStore(nodes[1]),
      sites: new SiteStore(nodes[1]),
      db: nodes[1],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
