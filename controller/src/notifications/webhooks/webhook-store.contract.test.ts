import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeWebhookStore } from './webhook-store.contract.ts';
import { createWebhookStore } from './webhook-store.sql.ts';

eachDatabase((kind) => {
  describeWebhookStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { database: nodes[0], store: createWebhookStore(nodes[0]), remove };
  });
});
