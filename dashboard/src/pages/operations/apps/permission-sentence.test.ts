// What an app may do, in words.
import { expect, it } from 'vitest';
import { permissionSentence, sentenceText } from './permission-sentence.tsx';

const now = Date.parse('2026-03-01T00:00:00Z');
const say = (permissions: Record<string, unknown>) => sentenceText(permissionSentence(permissions, now));

it('nothing restricted', () => {
  expect(say({})).toBe(
    'may read all access points; may send any command to them; may start emulated access points; priority 50; no expiry',
  );
});

it('everything restricted', () => {
  expect(
    say({
      agents: ['ap-lab-*', 'ap-7'],
      commands: ['sleep', 'wake'],
      emulator: { max_access_points: 50 },
      priority: 70,
      expires_at: '2027-01-01T12:00:00Z',
    }),
  ).toBe(
    'may read ap-lab-* and ap-7; may send sleep and wake to them; may start up to 50 emulated access points; priority 70; expires on 1 Jan 2027',
  );
});

it('limits on arguments', () => {
  expect(
    say({ commands: { set_tx_power: { dbm: { min: 5, max: 20 } }, dim: { level: { max: -3 } }, wake: {} } }),
  ).toContain('may send set_tx_power (dbm from 5 to 20), dim (level up to −3) and wake to them');
});

it.each([
  [
    'no reading, so that the agents are named with the commands',
    { read: false, agents: ['a*'], commands: ['sleep'] },
    'may not read; may send sleep to a*;',
  ],
  ['no command by false', { commands: false }, 'may not send commands'],
  [
    'no command and no emulation by no writing',
    { write: false, commands: true, emulator: true },
    'may not send commands; may not start emulated access points',
  ],
  ['no command by an empty list', { commands: [] }, 'may not send commands'],
  ['no agent', { agents: [] }, 'may read no access points; may send any command to no access points'],
  ['no emulation by zero', { emulator: { max_access_points: 0 } }, 'may not start emulated access points'],
  ['expired', { expires_at: '2026-02-01T00:00:00Z' }, 'expired on 1 Feb 2026: no permissions'],
])('%s', (_, permissions, words) => {
  expect(say(permissions)).toContain(words);
});

it('names stand apart from words, so that they are never taken for them', () => {
  expect(permissionSentence({ agents: ['all agents'] }, now)).toContainEqual({ name: 'all agents' });
});
