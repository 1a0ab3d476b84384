// The AsyncAPI document: broker messages, the WebSocket of a job and the channel of an agent, made from the contract's
// schemas.
import {
  AgentDataRecord,
  AgentDataTask,
  AgentDetails,
  AgentDetailsTask,
  CommandNotice,
  channelDown,
  channelUp,
  EmulatorEvent,
  EmulatorTask,
  JobEnvelope,
  JobMessage,
} from '@weft/contract';
import type { TSchema } from '@weft/contract/schema';

type Json = Record<string, unknown>;

/** What each queue carries in `data`, as far as Weft publishes to it. */
const tasks = {
  agent_details: { summary: 'List all agents', data: AgentDetailsTask },
  agent_data: { summary: 'Read the telemetry of an agent over a period', data: AgentDataTask },
  emulator_spinup: { summary: 'Run a network of emulated access points', data: EmulatorTask },
} as const satisfies Record<string, { summary: string; data: TSchema }>;

/** To be listened to: Weft delivers commands itself. */
const commandQueue = 'send_command';
const commandSummary = 'Hear of every command';

/** What goes over the channel of an agent, seen from Weft. */
const byTitle = (schemas: readonly (TSchema & { title?: unknown })[]): Record<string, TSchema> =>
  Object.fromEntries(schemas.map((schema) => [String(schema.title), schema]));
const [down, up] = [byTitle(channelDown), byTitle(channelUp)];

export interface AsyncApiOptions {
  /** Of Weft; the interface has its own. */
  productVersion: string;
  publicUrl: string | undefined;
}

export function createAsyncApi({ productVersion, publicUrl }: AsyncApiOptions): Json {
  const queues = Object.entries(tasks);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Weft: jobs and agents',
      version: '1.0.0',
      description: `Jobs wait in the queues of a broker. Workers post results to the callbacks of the HTTP interface (see /openapi.json); the owner receives them over the WebSocket of the job. Served by Weft ${productVersion}.`,
      contact: { name: 'The operator of this Weft' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [
        { name: 'Jobs', description: 'Requests, and their results.' },
        { name: 'Agents', description: 'Commands to access points, and what they report.' },
      ],
      'x-product-version': productVersion,
    },
    servers: describeServers(publicUrl),
    defaultContentType: 'application/json',
    channels: {
      ...Object.fromEntries(queues.map(([name, { summary }]) => [name, queueChannel(name, summary)])),
      [commandQueue]: listenChannel(),
      job: {
        address: '/api/v1/ws/{job_number}',
        servers: [{ $ref: '#/servers/weft' }],
        title: 'The WebSocket of a job',
        description:
          'All stored messages of the job, in order, then new ones as they arrive. `?after=<seq>` continues after a message. Send the token as header, as `?token=` or `?access_token=`, or as subprotocol `bearer.<token>` together with `weft.v1`.',
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
        servers: [{ $ref: '#/servers/weft' }],
        title: 'The channel of an agent',
        description:
          'A WebSocket that the agent opens with its own token: commands and settings down; answers and telemetry up.',
        parameters: { ap_id: { description: 'The agent itself.' } },
        messages: references({ ...down, ...up }),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      ...Object.fromEntries(
        queues.map(([name, { summary }]) => [
          `work_on_${name}`,
          {
            action: 'send',
            channel: { $ref: `#/channels/${name}` },
            summary,
            description:
              'Weft publishes a message for each request. A worker takes it, does the work and posts to the callback.',
            bindings: { amqp: { cc: [name], deliveryMode: 2, mandatory: true } },
          },
        ]),
      ),
      [`listen_to_${commandQueue}`]: {
        action: 'send',
        channel: { $ref: `#/channels/${commandQueue}` },
        summary: commandSummary,
        description:
          'Weft publishes a message for each command that it accepts, and delivers the command itself. The message has no token: there is nothing to post.',
        bindings: { amqp: { cc: [commandQueue], deliveryMode: 2, mandatory: true } },
      },
      receive_results: {
        action: 'send',
        channel: { $ref: '#/channels/job' },
        summary: 'Results for the owner of the job',
        description: 'Each message of the job once it is stored, in the order of `seq`; the last has `final`.',
      },
      tell_agent: {
        action: 'send',
        channel: { $ref: '#/channels/agent_channel' },
        summary: 'What Weft tells an agent',
        description: 'Commands, settings, and the answers to what the agent sends.',
        messages: Object.keys(down).map((name) => ({ $ref: `#/channels/agent_channel/messages/${name}` })),
      },
      hear_agent: {
        action: 'receive',
        channel: { $ref: '#/channels/agent_channel' },
        summary: 'What an agent tells Weft',
        description: 'Telemetry, the results of commands, and the settings that it runs.',
        messages: Object.keys(up).map((name) => ({ $ref: `#/channels/agent_channel/messages/${name}` })),
      },
    },
    components: {
      messages: {
        ...Object.fromEntries(queues.map(([name, { summary, data }]) => [name, taskMessage(name, summary, data)])),
        ...Object.fromEntries(
          Object.entries({ ...down, ...up }).map(([name, schema]) => [name, { title: name, payload: plain(schema) }]),
        ),
        [commandQueue]: { title: commandSummary, payload: plain(CommandNotice) },
        envelope: { title: 'JobEnvelope', payload: { $ref: '#/components/schemas/JobEnvelope' } },
      },
      schemas: {
        AgentDataRecord: plain(AgentDataRecord),
        AgentDetails: plain(AgentDetails),
        EmulatorEvent: plain(EmulatorEvent),
        JobEnvelope: envelope(['AgentDataRecord', 'AgentDetails', 'EmulatorEvent']),
      },
    },
  };
}

function describeServers(publicUrl: string | undefined): Json {
  const { host, protocol } = new URL(publicUrl ?? 'http://127.0.0.1:8000');
  return {
    weft: {
      host: '{host}',
      protocol: protocol === 'https:' ? 'wss' : 'ws',
      description: 'Weft itself, for WebSockets.',
      variables: { host: { default: host, description: 'Where Weft is reached.' } },
    },
    broker: {
      host: '{broker}',
      protocol: 'amqp',
      protocolVersion: '0.9.1',
      description:
        'RabbitMQ, where WEFT_AMQP_URL names one. The broker that is built in cannot be reached from outside.',
      variables: { broker: { default: '127.0.0.1:5672', description: 'The host and port of WEFT_AMQP_URL.' } },
    },
  };
}

function queueChannel(name: string, summary: string): Json {
  return {
    address: name,
    title: summary,
    description: `A quorum queue, bound to the durable direct exchange \`weft\` with the routing key \`${name}\`.`,
    servers: [{ $ref: '#/servers/broker' }],
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: { amqp: { is: 'queue', queue: { name, durable: true, exclusive: false, autoDelete: false } } },
  };
}

function listenChannel(): Json {
  return {
    ...queueChannel(commandQueue, commandSummary),
    description:
      'For listening only. Weft consumes the queue of this name itself: declare your own queue and bind it to the durable direct exchange `weft` with the routing key `send_command`.',
  };
}

/** With what its data can be; results of commands, and states, are objects of their own shape. */
function envelope(data: string[]): Json {
  const plainEnvelope = plain(JobEnvelope);
  const anyOf = [...data.map((name) => ({ $ref: `#/components/schemas/${name}` })), { type: 'object' }];
  const properties = { ...(plainEnvelope.properties as Json), data: { type: 'array', items: { anyOf } } };
  return { ...plainEnvelope, properties };
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
