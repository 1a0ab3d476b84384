import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { siteAt } from '../sites/site-store.contract.ts';
import { createSiteStore } from '../sites/site-store.sql.ts';
import { describeAgentStore } from './agent-store.contract.ts';
import { createAgentStore } from './agent-store.sql.ts';

eachDatabase((kind) => {
  describeAgentStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createAgentStore(nodes[0]),
      otherNode: createAgentStore(nodes[1]),
      db: nodes[0],
      createSite: (path) => createSiteStore(nodes[1]).create(siteAt(path)),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
