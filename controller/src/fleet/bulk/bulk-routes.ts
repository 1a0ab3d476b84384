// Operations that change many access points at once.
import { BulkAnswer, BulkProgress, BulkRequest } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route } from '../../http/request/route.ts';
import { bulkStarters, owners } from '../../rights/permission.ts';
import type { BulkService } from './bulk-service.ts';

export function bulkRoutes(bulk: BulkService): Route[] {
  const tag = 'Fleet';
  return [
    route({
      operation: 'start_bulk',
      permission: bulkStarters,
      method: 'POST',
      url: '/api/v1/bulk',
      tag,
      summary: 'Send a command to, label or delete all access points of a selector, in waves; or preview that',
      failures: { 404: 'No access point matches' },
      body: BulkRequest,
      response: BulkAnswer,
      handle: ({ body, caller }) => bulk.start(caller, body),
    }),
    route({
      operation: 'get_bulk',
      permission: owners,
      method: 'GET',
      url: '/api/v1/bulk/:job_number',
      target: 'job_number',
      tag,
      summary: 'How far a bulk change has come, and what came of it for each access point',
      query: Type.Object({
        cursor: Type.Optional(Type.String({ maxLength: 256, description: '`next` of the page before.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000 })),
      }),
      response: BulkProgress,
      handle: (context) =>
        bulk.get(context.caller, context.path('job_number'), context.query.cursor, context.query.limit!),
    }),
  ];
}
