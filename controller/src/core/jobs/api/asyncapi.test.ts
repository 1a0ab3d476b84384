// Holds the AsyncAPI document against what it must name, and every reference in it against its target.
import { channelDown, channelUp } from '@weft/contract';
import { expect, test } from 'vitest';
import { createAsyncApi } from './asyncapi.ts';

const document = createAsyncApi({ productVersion: '1.2.3', publicUrl: 'https://weft.example' });

test('names each queue that Weft publishes to, and the socket', () => {
  expect(Object.keys(document.channels as object)).toEqual([
    'agent_details',
    'agent_data',
    'emulator_spinup',
    'send_command',
    'job',
    'agent_channel',
  ]);
});

test('every reference has a target', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
  expect(references.length).toBeGreaterThan(5);
  for (const reference of references) {
    const target = reference
      .split('/')
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], document);
    expect(target, reference).toBeDefined();
  }
});

test('a message of the queue has its own data', () => {
  const { agent_data } = (document.components as { messages: Record<string, { payload: { properties: object } }> })
    .messages;
  expect(agent_data!.payload.properties).toMatchObject({
    task_type: { const: 'agent_data' },
    data: { required: ['agent_id', 'start_time', 'end_time'] },
  });
});

test('the message of a command has no token', () => {
  const { send_command } = (document.components as { messages: Record<string, { payload: { properties: object } }> })
    .messages;
  expect(Object.keys(send_command!.payload.properties).toSorted()).toEqual([
    'data',
    'job_number',
    'requested_by',
    'task_type',
  ]);
});

test('says which Weft serves it, and where that is', () => {
  expect(document.info).toMatchObject({ 'x-product-version': '1.2.3' });
  expect(document.servers).toMatchObject({
    weft: { protocol: 'wss', variables: { host: { default: 'weft.example' } } },
  });
});

test('names every message of the channel of an agent, both ways', () => {
  const { operations, components } = document as unknown as {
    operations: Record<string, { messages: { $ref: string }[] }>;
    components: { messages: Record<string, { payload: { properties: { type: { const: string } } } }> };
  };
  const typesOf = (operation: string) =>
    operations[operation]!.messages.map(({ $ref }) => {
      return components.messages[$ref.slice($ref.lastIndexOf('/') + 1)]!.payload.properties.type.const;
    });
  expect(typesOf('tell_agent')).toEqual(channelDown.map(({ properties }) => properties.type.const));
  expect(typesOf('hear_agent')).toEqual(channelUp.map(({ properties }) => properties.type.const));
  expect(typesOf('tell_agent')).toEqual(expect.arrayContaining(['config', 'config_confirm']));
  expect(typesOf('hear_agent')).toEqual(expect.arrayContaining(['config_result', 'config_running']));
});
