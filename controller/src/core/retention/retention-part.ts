// The retention as a part: its rounds, what it says about itself, and the operation by which an operator says that the clock is
// right.
import { type RetentionReport, RetentionReport as RetentionReportSchema, StatusAnswer } from '@weft/contract';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import type { EventLog } from '../accounts/event-log/event-log.ts';
import { adminsAndAuditors, adminsOnly } from '../base/rights/permission.ts';
import { NodeLease } from '../base/storage/node-lease.ts';
import type { Events } from '../events.ts';
import { type Route, routesOf, success } from '../http/request/route.ts';
import type { Part, Platform } from '../part.ts';
import type { Retention } from './retention.ts';
import { ClockStore, RetentionRounds } from './retention-rounds.ts';

const route = routesOf('Events');

interface RetentionPartDeps extends Platform {
  auditLog: AuditLog;
  eventLog: EventLog;
}

export function createRetentionPart(deps: RetentionPartDeps, events: Events) {
  const { config, database, node, retention, auditLog, eventLog, onChange, onError } = deps;
  const lease = new NodeLease({ database, name: 'retention', onError });
  const rounds = new RetentionRounds({
    database,
    node,
    store: new ClockStore(database),
    eventLog,
    retention,
    lease,
    onChange,
  });
  // At once: from then on a jump is seen.
  lease.taken.on(() => rounds.soon());
  events.recorded.on((...report) => rounds.recorded(...report));
  return {
    rounds,
    routes: retentionRoutes(retention, rounds, auditLog),
    metrics: {
      weft_retention_paused: {
        help: 'Whether nothing is removed because the clock has jumped',
        value: () => Number(retention.clock.isPaused),
      },
    },
    prepare: () => rounds.prepare(),
    start() {
      if (!config.roles.includes('api')) return;
      lease.start();
      rounds.start();
    },
    drain: () => rounds.stop(),
    stop: () => lease.stop(),
  } satisfies Part & Record<string, unknown>;
}

function retentionRoutes(retention: Retention, rounds: RetentionRounds, auditLog: AuditLog): Route[] {
  return [
    route('get_retention', 'GET /api/v1/retention', {
      permission: adminsAndAuditors,
      summary: 'Until when what is stored is removed, and whether that is paused',
      response: RetentionReportSchema,
      handle: async () => toReport(retention, rounds.completed),
    }),
    route('resume_retention', 'POST /api/v1/retention/resume', {
      permission: adminsOnly,
      summary: 'Say that the clock is right',
      description:
        'After a jump of the clock nothing is removed for an hour, and things are kept for as long as Weft knows to have passed. This ends both: what is old by the clock of now is removed.',
      response: StatusAnswer,
      handle: async ({ caller }) => {
        const target = { kind: 'retention', name: 'clock' };
        await rounds.accept((tx) =>
          auditLog.append(tx, [{ actor: caller, action: 'retention_resumed', target, detail: {} }]),
        );
        return success('What is old by the clock is removed again');
      },
    }),
  ];
}

function toReport({ clock, kinds }: Retention, completed: number): RetentionReport {
  const toTime = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);
  const { isPaused, state } = clock;
  return {
    state: isPaused ? 'paused' : 'running',
    steady_seconds: isPaused && state !== undefined ? Math.floor(clock.steadyForMs / 1000) : null,
    rounds: completed,
    kinds: kinds.map(({ name, keptMs }) => ({
      name,
      kept_seconds: Math.round(keptMs / 1000),
      now: toTime(clock.now(keptMs)),
    })),
  };
}
