import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeWebhookStore } from './webhook-store.contract.ts';
import { WebhookStore } from './webhook-store.ts';

eachDatabase((kind) => {
  describeWebhookStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { database: nodes[0], store: new WebhookStore(nodes[0]), remove };
  });
});
