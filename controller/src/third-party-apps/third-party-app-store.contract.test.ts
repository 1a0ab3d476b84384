import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { describeThirdPartyAppStore } from './third-party-app-store.contract.ts';
import { createThirdPartyAppStore } from './third-party-app-store.sql.ts';

eachDatabase((kind) => {
  describeThirdPartyAppStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: createThirdPartyAppStore(nodes[0]),
      otherNode: createThirdPartyAppStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
