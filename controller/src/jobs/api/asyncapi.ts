// The AsyncAPI document: broker messages, the WebSocket of a job and the channel of an agent, made from the contract's
// schemas.
import {
  AgentDataRecord,
  AgentDataTask,
  AgentDetails,
  AgentDetailsTask,
  ChannelCommand,
  ChannelError,
  CommandResultMessage,
  CommandStateMessage,
  EmulatorEvent,
  EmulatorTask,
  HelloAck,
  HelloMessage,
  JobEnvelope,
  JobMessage,
  TelemetryAck,
  TelemetryMessage,
} from '@weft/contract';
import type { TSchema } from 'typebox';

type Json = Record<string, unknown>;

/** What each queue carries in `data`, as far as Weft publishes to it. */
const tasks = {
  agent_details: { summary: 'List all agents', data: AgentDetailsTask },
  agent_data: { summary: 'Read the telemetry of an agent over a period', data: AgentDataTask },
  emulator_spinup: { summary: 'Run a network of emulated access points', data: EmulatorTask },
} as const satisfies Record<string, { summary: string; data: TSchema }>;

/** What goes over the channel of an agent, seen from Weft. */
const down = { ChannelCommand, TelemetryAck, CommandStateMessage, HelloAck, ChannelError };
const up = { TelemetryMessage, CommandResultMessage, HelloMessage };

export function createAsyncApi(): Json {
  const queues = Object.entries(tasks);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Weft: jobs and agents',
      version: '1.0.0',
      description:
        'Jobs wait in the queues of a broker. Workers post results to the callbacks of the HTTP interface (see /openapi.json); the owner receives them over the WebSocket of the job.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      ...Object.fromEntries(queues.map(([name, { summary }]) => [name, queueChannel(name, summary)])),
      job: {
        address: '/api/v1/ws/{job_number}',
        title: 'The WebSocket of a job',
        description:
          'All stored messages of the job, in order, then new ones as they arrive. `?after=<seq>` continues after a message. Send the token as header, as `?token=` or as subprotocol `bearer.<token>` together with `weft.v1`.',
        parameters: { job_number: { description: 'The job number from the answer to the request.' } },
        messages: { envelope: { $ref: '#/components/messages/envelope' } },
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              properties: { after: { type: 'integer', minimum: 0 }, token: { type: 'string' } },
            },
          },
        },
      },
      agent_channel: {
        address: '/api/v1/agents/{ap_id}/channel',
        title: 'The channel of an agent',
        description: 'A WebSocket that the agent opens with its own token: commands down; answers and telemetry up.',
        parameters: { ap_id: { description: 'The agent itself.' } },
        messages: references({ ...down, ...up }),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      ...Object.fromEntries(
        queues.map(([name, { summary }]) => [
          `work_on_${name}`,
          { action: 'send', channel: { $ref: `#/channels/${name}` }, summary },
        ]),
      ),
      receive_results: {
        action: 'send',
        channel: { $ref: '#/channels/job' },
        summary: 'Results for the owner of the job',
      },
      tell_agent: {
        action: 'send',
        channel: { $ref: '#/channels/agent_channel' },
        messages: Object.keys(down).map((name) => ({ $ref: `#/channels/agent_channel/messages/${name}` })),
      },
      hear_agent: {
        action: 'receive',
        channel: { $ref: '#/channels/agent_channel' },
        messages: Object.keys(up).map((name) => ({ $ref: `#/channels/agent_channel/messages/${name}` })),
      },
    },
    components: {
      messages: {
        ...Object.fromEntries(queues.map(([name, { summary, data }]) => [name, taskMessage(name, summary, data)])),
        ...Object.fromEntries(
          Object.entries({ ...down, ...up }).map(([name, schema]) => [name, { title: name, payload: plain(schema) }]),
        ),
        envelope: { title: 'JobEnvelope', payload: { $ref: '#/components/schemas/JobEnvelope' } },
      },
      schemas: {
        AgentDataRecord: plain(AgentDataRecord),
        AgentDetails: plain(AgentDetails),
        EmulatorEvent: plain(EmulatorEvent),
        JobEnvelope: plain(JobEnvelope),
      },
    },
  };
}

function queueChannel(name: string, summary: string): Json {
  return {
    address: name,
    title: summary,
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: {
      amqp: {
        is: 'routingKey',
        exchange: { name: 'weft', type: 'direct', durable: true, autoDelete: false },
        queue: { name, durable: true, exclusive: false, autoDelete: false },
      },
    },
  };
}

function references(messages: Record<string, unknown>): Json {
  return Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function taskMessage(name: string, summary: string, data: TSchema): Json {
  const message = plain(JobMessage);
  const properties = { ...(message.properties as Json), task_type: { type: 'string', const: name }, data: plain(data) };
  return { title: summary, payload: { ...message, properties } };
}

/** Without what only the validator understands. */
function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
