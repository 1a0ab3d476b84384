// Operations that change many access points at once.
import { BulkAnswer, BulkProgress, BulkRequest } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { bulkStarters, owners } from '../../base/rights/permission.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { BulkService } from './bulk-service.ts';

const route = routesOf('Fleet');

export function bulkRoutes(bulk: BulkService): Route[] {
  return [
    route('start_bulk', 'POST /api/v1/bulk', {
      permission: bulkStarters,
      summary: 'Send a command to, label or delete all access points of a selector, in waves; or preview that',
      failures: { 404: 'No access point matches' },
      body: BulkRequest,
      response: BulkAnswer,
      handle: ({ body, caller }) => bulk.start(caller, body),
    }),
    route('get_bulk', 'GET /api/v1/bulk/:job_number', {
      permission: owners,
      summary: 'How far a bulk change has come, and what came of it for each access point',
      query: Type.Object({
        cursor: Type.Optional.String({ maxLength: 256, description: '`next` of the page before.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 1000, default: 1000 }),
      }),
      response: BulkProgress,
      handle: (context) =>
        bulk.get(context.caller, context.path('job_number'), context.query.cursor, context.query.limit!),
    }),
  ];
}
