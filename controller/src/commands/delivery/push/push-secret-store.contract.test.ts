import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { describePushSecretStore } from './push-secret-store.contract.ts';
import { createPushSecretStore } from './push-secret-store.sql.ts';

eachDatabase((kind) => {
  describePushSecretStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: createPushSecretStore(nodes[0]), otherNode: createPushSecretStore(nodes[1]), remove };
  });
});
