import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { describeThirdPartyAppStore } from './third-party-app-store.contract.ts';
import { ThirdPartyAppStore } from './third-party-app-store.ts';

eachDatabase((kind) => {
  describeThirdPartyAppStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new ThirdPartyAppStore(nodes[0]),
      otherNode: new ThirdPartyAppStore(nodes[1]),
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
