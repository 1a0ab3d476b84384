import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { siteAt } from '../sites/site-store.contract.ts';
import { SiteStore } from '../sites/site-store.ts';
import { describeAgentStore } from './agent-store.contract.ts';
import { AgentStore } from './agent-store.ts';

eachDatabase((kind) => {
  describeAgentStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new AgentStore(nodes[0]),
      otherNode: new AgentStore(nodes[1]),
      db: nodes[0],
      createSite: (path) => new SiteStore(nodes[1]).create(siteAt(path)),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
