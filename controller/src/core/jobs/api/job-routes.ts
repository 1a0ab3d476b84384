// Operations that ask for work, and those on the jobs that come of it.

import { AgentFilter, Job, JobAccepted, JobState, JobWithMessages } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import type { ValidationError } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { agentReaders, jobReaders, networkReaders } from '../../base/rights/permission.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { Network } from '../../network/network.ts';
import type { JobService } from './job-service.ts';

const route = routesOf('Jobs');
const maxAheadMs = 24 * 3_600_000;

const Moment = (description: string) => Type.String({ format: 'date-time', description });

export function jobRoutes({ jobs, network }: { jobs: JobService; network: Pick<Network, 'visibleTo'> }): Route[] {
  return [
    route('request_all_agents_details', 'POST /api/v1/agent_details/request_all_agents_details', {
      spec: 22, // spec #22
      permission: networkReaders,
      summary:
        'Request the details of every agent that the caller may read; the job delivers them, those of emulated agents whose run has ended only on request',
      query: AgentFilter,
      changesNothing: true,
      response: JobAccepted,
      handle({ caller, query }) {
        const patterns = rightsOf(caller).limits.agents;
        return jobs.create(caller, {
          task_type: 'agent_details',
          data: { ...(patterns && { agents: patterns }), ...query },
        });
      },
    }),
    route('request_agent_data', 'POST /api/v1/agent_data/request_agent_data', {
      spec: 23, // spec #23
      permission: agentReaders,
      target: '?agent_id',
      summary: 'Request the telemetry of an agent; the job delivers it, and with an end in the future also new samples',
      query: Type.Object({
        agent_id: Type.String({ format: 'agent-name', description: 'The ap_id.' }),
        start_time: Moment('Of the first sample; before `end_time`.'),
        end_time: Moment('Samples before this; at most 24 hours ahead.'),
      }),
      changesNothing: true,
      response: JobAccepted,
      async handle({ query, caller }) {
        const { agent_id, start_time, end_time } = query;
        const endMs = Date.parse(end_time);
        if (Date.parse(start_time) >= endMs) throw badEnd('end_time should be after start_time');
        if (endMs > Date.now() + maxAheadMs) throw badEnd('end_time should be at most 24 hours ahead');
        (await network.visibleTo(caller)).require(agent_id);
        const data = { agent_id, start_time, end_time };
        return jobs.create(caller, { task_type: 'agent_data', data, subject: agent_id, dueMs: endMs });
      },
    }),
    route('list_jobs', 'GET /api/v1/jobs', {
      permission: jobReaders,
      summary: "List the caller's jobs, newest first",
      failures: { 404: '`before` names no job of the caller' },
      query: Type.Object({
        all: Type.Optional.Boolean({ default: false, description: 'Jobs of all callers; administrators only.' }),
        state: Type.Optional(JobState),
        before: Type.Optional.String({ description: 'A job number: only older ones, for the next page.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 200, default: 50 }),
      }),
      response: Type.Array(Job),
      handle: ({ query, caller }) => jobs.list(caller, { ...query, limit: query.limit! }),
    }),
    route('get_job', 'GET /api/v1/jobs/:job_number', {
      permission: jobReaders,
      summary: 'Get a job and its messages, without a WebSocket',
      query: Type.Object({
        after: Type.Optional.Integer({ minimum: 0, default: 0, description: 'Only messages with a larger `seq`.' }),
      }),
      response: JobWithMessages,
      // JSON of that type already, as text.
      handle: async (context) =>
        (await jobs.read(
          context.caller,
          context.path('job_number'),
          context.query.after!,
        )) as unknown as JobWithMessages,
    }),
    route('cancel_job', 'DELETE /api/v1/jobs/:job_number', {
      permission: jobReaders,
      summary: 'Cancel a job that has not ended',
      failures: { 409: 'The job has ended' },
      // A job is a record of its own.
      changesNothing: true,
      response: Job,
      handle: (context) => jobs.cancel(context.caller, context.path('job_number')),
    }),
  ];
}

function badEnd(error: string): ValidationError {
  return invalidValue(['query', 'end_time'], error);
}
