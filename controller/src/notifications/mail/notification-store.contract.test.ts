import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeNotificationStore } from './notification-store.contract.ts';
import { NotificationStore } from './notification-store.ts';

eachDatabase((kind) => {
  describeNotificationStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { database: nodes[0], store: new NotificationStore(nodes[0]), remove };
  });
});
