// What agents report, and the answer they get.
import Type from 'typebox';

export const AgentUpdateRequest = Type.Record(Type.String(), Type.Unknown(), {
  title: 'AgentUpdateRequest',
  description:
    'Free-form. An array `samples` makes it a batch; else an object `payload` contains the fields; else the body itself does. ' +
    '`ap_id`, `ts`, `timestamp` and `configuration` are never fields; `configuration` is merged into the agent’s own.',
});
export type AgentUpdateRequest = Type.Static<typeof AgentUpdateRequest>;

export const AgentUpdateAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    detail: Type.String(),
    accepted: Type.Integer({ description: 'The number of stored samples.' }),
  },
  { title: 'AgentUpdateAnswer' },
);
export type AgentUpdateAnswer = Type.Static<typeof AgentUpdateAnswer>;
