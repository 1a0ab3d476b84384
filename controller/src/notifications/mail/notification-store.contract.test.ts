import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeNotificationStore } from './notification-store.contract.ts';
import { createNotificationStore } from './notification-store.sql.ts';

eachDatabase((kind) => {
  describeNotificationStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { database: nodes[0], store: createNotificationStore(nodes[0]), remove };
  });
});
