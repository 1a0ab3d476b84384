// What was decided, in sentences.
import { expect, it } from 'vitest';
import { decisionSentence, plainDetail } from './decision-words.ts';

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

it('names who holds what until when, and who asked in vain', () => {
  expect(decisionSentence({ ...decided, verdict: 'rejected' })).toBe(
    'energy-saver holds power state of ap-03 until 10:44:00; load-balancer asked for another value and was refused',
  );
});

it('tells of waiting, merging and going first', () => {
  expect(decisionSentence({ ...decided, verdict: 'queued' })).toMatch(/load-balancer waits/);
  expect(decisionSentence({ ...decided, verdict: 'accepted_modified' })).toMatch(/value between/);
  expect(decisionSentence({ ...decided, verdict: 'accepted', reason: 'higher_priority' })).toMatch(
    /^load-balancer goes before energy-saver.*priority/,
  );
});

it('leaves the words of the server where there is no rival, in the time of the reader', () => {
  expect(decisionSentence({ ...decided, verdict: 'rejected', rival: null, detail: `frozen until ${until}` })).toBe(
    'Frozen until 10:44:00',
  );
  expect(plainDetail('Value error, the agent does not know this command.')).toBe(
    'The agent does not know this command.',
  );
});

it('shortens the names of emulated agents, however many', () => {
  const name = 'emu-5g-bd09e2af-20b2-4399-a349-889202909766-12';
  expect(plainDetail(`${name} holds tilt of ${name}`)).toBe('Emu-5g-bd09…-12 holds tilt of emu-5g-bd09…-12');
});
