// What was decided, in sentences.
import { expect, it } from 'vitest';
import { decisionSentence, plainDetail } from './command-words.ts';

const today = new Date();
today.setHours(10, 44, 0, 0);
const until = today.toISOString();
const rival = {
  command_id: 'c1',
  caller_kind: 'third_party_app',
  caller_name: 'energy-saver',
  ap_id: 'ap-03',
  parameter: 'power_state',
  until,
};
const decided = { ap_id: 'ap-03', caller_name: 'load-balancer', reason: 'held_by_other', detail: 'x', rival };

it('names who holds which lease until when, and who was rejected', () => {
  expect(decisionSentence({ ...decided, verdict: 'rejected' })).toBe(
    'energy-saver holds the lease on power state of ap-03 until 10:44:00; load-balancer requested a different value and was rejected',
  );
});

it('says who is queued, merged, or overrides the lease', () => {
  expect(decisionSentence({ ...decided, verdict: 'queued' })).toMatch(/load-balancer is queued until then/);
  expect(decisionSentence({ ...decided, verdict: 'accepted_modified' })).toMatch(/a merged value is sent/);
  expect(decisionSentence({ ...decided, verdict: 'accepted', reason: 'higher_priority' })).toMatch(
    /^load-balancer overrides the lease of energy-saver on power state of ap-03: higher priority$/,
  );
});

it('leaves the words of the server where there is no rival, in the time of the reader', () => {
  expect(decisionSentence({ ...decided, verdict: 'rejected', rival: null, detail: `frozen until ${until}` })).toBe(
    'Frozen until 10:44:00',
  );
  expect(decisionSentence({ ...decided, verdict: 'accepted', reason: 'free', rival: null })).toBe(
    'Not leased by others',
  );
  expect(decisionSentence({ ...decided, verdict: 'accepted', reason: 'own_lease' })).toBe(
    'Already leased by the same caller',
  );
  expect(plainDetail('Value error, the agent does not know this command.')).toBe(
    'The agent does not know this command.',
  );
});

it('shortens the names of emulated agents, however many', () => {
  const name = 'emu-5g-bd09e2af-20b2-4399-a349-889202909766-12';
  expect(plainDetail(`${name} holds tilt of ${name}`)).toBe('Emu-5g-bd09…-12 holds tilt of emu-5g-bd09…-12');
});
