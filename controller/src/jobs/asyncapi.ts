// The AsyncAPI document: broker messages and the WebSocket of a job, made from the contract's schemas.
import {
  AgentDataRecord,
  AgentDataTask,
  AgentDetails,
  AgentDetailsTask,
  JobEnvelope,
  JobMessage,
} from '@weft/contract';
import type { TSchema } from 'typebox';

type Json = Record<string, unknown>;

/** What each queue carries in `data`, as far as Weft publishes to it. */
const tasks = {
  agent_details: { summary: 'Tell of all agents', data: AgentDetailsTask },
  agent_data: { summary: 'Tell an agent’s telemetry of a period', data: AgentDataTask },
} as const satisfies Record<string, { summary: string; data: TSchema }>;

export function createAsyncApi(): Json {
  const queues = Object.entries(tasks);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Weft: jobs',
      version: '1.0.0',
      description:
        'Work waits in the queues of a broker; results are posted to the callbacks of the HTTP interface (see /openapi.json) and come out of the WebSocket of the job.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      ...Object.fromEntries(queues.map(([name, { summary }]) => [name, queueChannel(name, summary)])),
      job: {
        address: '/api/v1/ws/{job_number}',
        title: 'The WebSocket of a job',
        description:
          'Everything that came for the job, in order, then what comes. `?after=<seq>` goes on after a message. The token is shown as header, as `?token=` or as subprotocol `bearer.<token>` beside `weft.v1`.',
        parameters: { job_number: { description: 'As answered to the request.' } },
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
        summary: 'Results, to the owner of the job',
      },
    },
    components: {
      messages: {
        ...Object.fromEntries(queues.map(([name, { summary, data }]) => [name, taskMessage(name, summary, data)])),
        envelope: { title: 'JobEnvelope', payload: { $ref: '#/components/schemas/JobEnvelope' } },
      },
      schemas: {
        AgentDataRecord: plain(AgentDataRecord),
        AgentDetails: plain(AgentDetails),
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

function taskMessage(name: string, summary: string, data: TSchema): Json {
  const message = plain(JobMessage);
  const properties = { ...(message.properties as Json), task_type: { type: 'string', const: name }, data: plain(data) };
  return { title: summary, payload: { ...message, properties } };
}

/** Without what only the validator understands. */
function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
