import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { describePushSecretStore } from './push-secret-store.contract.ts';
import { PushSecretStore } from './push-secret-store.ts';

eachDatabase((kind) => {
  describePushSecretStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: new PushSecretStore(nodes[0]), otherNode: new PushSecretStore(nodes[1]), remove };
  });
});
