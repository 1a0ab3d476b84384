// Operations on the labels of agents.
import { AgentLabels, LabelsUpdate } from '@weft/contract';
import { adminsAndManagers, agentReaders } from '../../base/rights/permission.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { LabelService } from './label-service.ts';

const route = routesOf('Fleet');

export function labelRoutes(labels: LabelService): Route[] {
  return [
    route('get_labels', 'GET /api/v1/agents/:ap_id/labels', {
      permission: agentReaders,
      summary: 'Get the labels of an access point, with their ETag',
      etag: 'given',
      response: AgentLabels,
      async handle(context) {
        const found = await labels.get(context.path('ap_id'), context.caller);
        context.reply.header('etag', found.etag);
        return found.labels;
      },
    }),
    route('update_labels', 'PATCH /api/v1/agents/:ap_id/labels', {
      permission: adminsAndManagers,
      summary: 'Change labels of an access point',
      etag: 'compared',
      failures: { 412: 'The labels have changed: If-Match does not match' },
      body: LabelsUpdate,
      response: AgentLabels,
      async handle(context) {
        const ifMatch = context.request.headers['if-match'];
        const changed = await labels.change(context.path('ap_id'), context.body, context.caller, ifMatch);
        context.reply.header('etag', changed.etag);
        return changed.labels;
      },
    }),
  ];
}
