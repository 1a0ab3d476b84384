// Events: where they lead, and the states that they tell of.
import { expect, it } from 'vitest';
import { familyOf, groupEvents, hrefOf, iconOf, kindsOf, type LoggedEvent, stateSpans } from './events.ts';

const event = (more: Partial<LoggedEvent>) =>
  ({ kind: 'agent.online', subject_kind: 'agent', subject: 'ap 1', ap_id: 'ap 1', ...more }) as LoggedEvent;
const at = (second: number) => new Date(second * 1000).toISOString();

it('leads to what it is about', () => {
  expect(hrefOf(event({}))).toBe('/agents/ap%201');
  expect(hrefOf(event({ kind: 'command.succeeded', subject_kind: 'command', subject: 'c1' }))).toBe('/commands/c1');
  expect(hrefOf(event({ kind: 'agent.removed' }))).toBeUndefined();
  expect(hrefOf(event({ kind: 'node.started', subject_kind: 'node', ap_id: null }))).toBeUndefined();
});

it('every kind has a family, also one that is not known', () => {
  expect(familyOf('storage.low')).toBe('node');
  expect(familyOf('something.new')).toBe('node');
  expect(kindsOf('config')).toEqual(['config.*', 'rollout.*', 'site.*', 'webhook.*']);
  // Addresses may have any text.
  expect(kindsOf('constructor')).toEqual([]);
  expect(iconOf('alarm.fired')).toBe('bell');
});

it('states follow one another without gaps up to now', () => {
  const range = { from: 0, to: 100 };
  const events = [
    { kind: 'agent.offline', ts: at(50) },
    { kind: 'command.sent', ts: at(55) },
    { kind: 'agent.late', ts: at(40) },
    { kind: 'agent.online', ts: at(70) },
  ];
  expect(stateSpans(events, range, 'online')).toEqual([
    { state: 'late', from: 40, to: 50 },
    { state: 'offline', from: 50, to: 70 },
    { state: 'online', from: 70, to: 100 },
  ]);
  expect(stateSpans([], range, 'online')).toEqual([{ state: 'online', from: 0, to: 100 }]);
  expect(stateSpans([], range, undefined)).toEqual([]);
});

it('many of one kind within two minutes are together, where the newest is; few stay single', () => {
  const list = [
    ...[0, 1, 2, 3].flatMap((n) => [
      event({ id: 100 - 2 * n, kind: 'agent.late', severity: 'info', ts: at(1000 - 2 * n) }),
      event({ id: 99 - 2 * n, kind: 'agent.online', severity: 'info', ts: at(999 - 2 * n) }),
    ]),
    event({ id: 50, kind: 'alarm.fired', severity: 'major', ts: at(980) }),
    event({ id: 49, kind: 'agent.late', severity: 'info', ts: at(870) }),
  ];
  expect(groupEvents(list).map((group) => group.map(({ id }) => id))).toEqual([
    [100, 98, 96, 94],
    [99, 97, 95, 93],
    [50],
    [49],
  ]);
  expect(groupEvents(list.slice(0, 6)).map((group) => group.length)).toEqual([1, 1, 1, 1, 1, 1]);
});
