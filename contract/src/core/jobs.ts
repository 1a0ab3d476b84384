// Jobs: what a request operation answers, what travels over the broker, what comes back over callbacks and sockets.

import { AgentFilter } from './metrics.ts';
import * as Type from './schema/schema.ts';

/** Queues and routing keys are named after the kinds of work. */
export const TaskType = Type.Enum(['agent_details', 'agent_data', 'send_command', 'emulator_spinup'], {
  title: 'TaskType',
});
export type TaskType = Type.Static<typeof TaskType>;

export const JobState = Type.Enum(['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled'], {
  title: 'JobState',
});
export type JobState = Type.Static<typeof JobState>;

export const JobAccepted = Type.Named('JobAccepted', {
  job_number: Type.String({ format: 'uuid' }),
  status: Type.Literal('queued'),
  websocket: Type.String({ description: 'The path of the WebSocket for the results.' }),
});
export type JobAccepted = Type.Static<typeof JobAccepted>;

/** What a message on a job's socket is about. */
export const EnvelopeType = Type.Enum(['agent_data', 'agent_details', 'emulator', 'command', 'energy', 'status'], {
  title: 'EnvelopeType',
});
export type EnvelopeType = Type.Static<typeof EnvelopeType>;

export const JobEnvelope = Type.Named('JobEnvelope', {
  job_number: Type.String(),
  seq: Type.Integer({ minimum: 1, description: 'Counts the messages of the job from 1, without gaps.' }),
  type: EnvelopeType,
  data: Type.Array(Type.Unknown()),
  final: Type.Boolean({ description: 'True on the last message of the job.' }),
  ts: Type.Timestamp,
});
export type JobEnvelope = Type.Static<typeof JobEnvelope>;

const jobFields = {
  job_number: Type.String(),
  task_type: Type.String({ description: 'The kind of request; `adopted` for a job that an administrator opened.' }),
  requested_by: Type.Object(
    { kind: Type.String(), name: Type.String() },
    { description: 'Whose job it is; of an adopted one, the administrator who opened it.' },
  ),
  state: JobState,
  detail: Type.OrNull(Type.String(), { description: 'Why it failed, expired or was cancelled.' }),
  progress: Type.OrNull(Type.Number(), { description: 'From 0 to 1, if known.' }),
  created_at: Type.Timestamp,
  updated_at: Type.Timestamp,
  ended_at: Type.OrNull(Type.Timestamp),
  expires_at: Type.String({
    format: 'date-time',
    description: 'While it runs, when it expires; after its end, when its messages are deleted.',
  }),
  last_seq: Type.Integer({ description: 'The number of its latest message; 0 without messages.' }),
  bytes: Type.Integer({ description: 'Of all its messages.' }),
  websocket: Type.String(),
};

export const Job = Type.Object(jobFields, { title: 'Job' });
export type Job = Type.Static<typeof Job>;

export const JobWithMessages = Type.Named('JobWithMessages', {
  ...jobFields,
  messages: Type.Array(JobEnvelope, { description: 'Messages after `after`, as many as fit.' }),
  has_more: Type.Boolean({ description: 'True if there are more: request them with `after` set to the last `seq`.' }),
});
export type JobWithMessages = Type.Static<typeof JobWithMessages>;

export const CallbackAnswer = Type.Named('CallbackAnswer', {
  status: Type.Enum(['delivered', 'queued']),
  job_number: Type.String(),
  detail: Type.String(),
  seq: Type.Integer(),
});
export type CallbackAnswer = Type.Static<typeof CallbackAnswer>;

/** What a worker finds in its queue; the same for every kind of work but for `data`. */
export const JobMessage = Type.Named('JobMessage', {
  job_number: Type.String(),
  task_type: TaskType,
  requested_by: Type.Object({ kind: Type.String(), id: Type.String() }),
  callback_token: Type.String({ description: 'Valid for the callbacks of this job only.' }),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type JobMessage = Type.Static<typeof JobMessage>;

/** What a listener finds in the queue of commands. It has no token: nobody but Weft delivers commands. */
const { callback_token: _, ...noticeFields } = JobMessage.properties;
export const CommandNotice = Type.Named('CommandNotice', {
  ...noticeFields,
  data: Type.Object({
    agent_id: Type.String({ description: 'The ap_id.' }),
    command_id: Type.String(),
    command: Type.String({ description: 'As the caller sent it, or as Weft has changed it.' }),
    name: Type.String(),
    args: Type.Record(Type.String(), Type.Unknown(), { description: 'Secret ones as a fingerprint.' }),
  }),
});

/** `data` of `agent_details`: the agents to tell of. */
export const AgentDetailsTask = Type.Named('AgentDetailsTask', {
  agents: Type.Optional.Array(Type.String(), {
    description: 'Only agents whose ap_id matches one of these patterns (`*`, `?`).',
  }),
  ...AgentFilter.properties,
});
export type AgentDetailsTask = Type.Static<typeof AgentDetailsTask>;

/** `data` of `agent_data`: whose telemetry, and of when; an end in the future makes it a live subscription. */
export const AgentDataTask = Type.Object(
  { agent_id: Type.String({ description: 'The ap_id.' }), start_time: Type.Timestamp, end_time: Type.Timestamp },
  { title: 'AgentDataTask' },
);
export type AgentDataTask = Type.Static<typeof AgentDataTask>;

/** One record of the result of `agent_data`. */
export const AgentDataRecord = Type.Object(
  { time: Type.Timestamp, field: Type.String(), value: Type.Union([Type.Number(), Type.String()]) },
  { title: 'AgentDataRecord' },
);
export type AgentDataRecord = Type.Static<typeof AgentDataRecord>;
