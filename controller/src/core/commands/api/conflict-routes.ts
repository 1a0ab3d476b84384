// Operations on the rules between callers, and on what came of them.
import { ConflictPage, ConflictRules } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsOnly, usersAndApps } from '../../base/rights/permission.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import { readBeforeSeq, seqQuery } from '../../http/request/seq-pages.ts';
import type { ConflictService } from './conflict-service.ts';

const route = routesOf('Conflicts');
const Moment = (description: string) => Type.Optional.String({ format: 'date-time', description });

export function conflictRoutes(conflicts: ConflictService): Route[] {
  return [
    route('list_conflicts', 'GET /api/v1/conflicts', {
      permission: { admin: 'yes', user: 'yes', agent: 'no', third_party_app: 'own' },
      summary: 'List conflicts between callers, newest first; apps see only their own',
      query: Type.Object({
        agent: Type.Optional.String({ format: 'agent-name', minLength: 1, maxLength: 512, description: 'The ap_id.' }),
        reason: Type.Optional.String({ minLength: 1, maxLength: 64, description: 'Only conflicts with this reason.' }),
        caller: Type.Optional.String({
          minLength: 1,
          maxLength: 512,
          description:
            'The name of an app or a user: only conflicts in which it asked, or held what another asked for.',
        }),
        since: Moment('From this moment on.'),
        until: Moment('Before this moment.'),
        ...seqQuery,
        limit: Type.Optional.Integer({ minimum: 1, maximum: 200, default: 50 }),
      }),
      response: ConflictPage,
      handle: ({ query: { agent, reason, caller: callerName, since, until, limit, ...page }, caller }) =>
        conflicts.list(caller, {
          agent,
          reason,
          callerName,
          before: readBeforeSeq(page),
          limit: limit!,
          sinceMs: since === undefined ? undefined : Date.parse(since),
          untilMs: until === undefined ? undefined : Date.parse(until),
        }),
    }),
    route('get_conflict_rules', 'GET /api/v1/conflicts/rules', {
      permission: usersAndApps,
      summary: 'Get the conflict rules',
      response: ConflictRules,
      handle: () => conflicts.rules(),
    }),
    route('update_conflict_rules', 'PUT /api/v1/conflicts/rules', {
      permission: adminsOnly,
      summary: 'Replace the conflict rules; they apply to every later command',
      body: ConflictRules,
      maxKeys: 5_000,
      response: ConflictRules,
      handle: ({ body, caller }) => conflicts.replaceRules(caller, body),
    }),
  ];
}
