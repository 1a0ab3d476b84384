// Reading the audit log.
import { AuditPage } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsAndAuditors } from '../../base/rights/permission.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import { readBeforeSeq, seqQuery } from '../../http/request/seq-pages.ts';
import type { AuditService } from './audit-service.ts';

const route = routesOf('Audit');

const maxEntries = 500;

const Name = (description: string) => Type.Optional.String({ minLength: 1, maxLength: 512, description });
const Moment = (description: string) => Type.Optional.String({ format: 'date-time', description });

export function auditRoutes(audit: AuditService): Route[] {
  return [
    route('list_audit_entries', 'GET /api/v1/audit', {
      permission: adminsAndAuditors,
      summary: 'List the entries of the audit log, newest first',
      query: Type.Object({
        actor: Name('The name of who did it, or the display name of an access point.'),
        action: Name('What was done, such as `user_updated`.'),
        target: Name('The name of what it was done to, or the display name of an access point.'),
        since: Moment('From this moment on.'),
        until: Moment('Before this moment.'),
        ...seqQuery,
        limit: Type.Optional.Integer({ minimum: 1, maximum: maxEntries, default: 100 }),
      }),
      response: AuditPage,
      handle: ({ query: { actor, action, target, since, until, limit, ...page } }) =>
        audit.list({
          actor,
          action,
          target,
          sinceMs: since === undefined ? undefined : Date.parse(since),
          untilMs: until === undefined ? undefined : Date.parse(until),
          beforeSeq: readBeforeSeq(page),
          limit: limit!,
        }),
    }),
  ];
}
