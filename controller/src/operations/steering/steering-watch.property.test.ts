// The law of steering: no success without evidence, and an end in any case.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outcomeOfAnswer } from '../../core/commands/grammar/device-commands.ts';
import { outcomeNow } from './steering-watch.ts';

const moment = fc.integer({ min: 0, max: 1_000_000 });
const maybe = fc.option(moment, { nil: undefined });
const evidence = fc.record({
  sight: fc.option(fc.record({ heardMs: moment, listTs: moment, since: maybe, sinceAtSource: maybe }), {
    nil: undefined,
  }),
  sentMs: moment,
  deadlineMs: moment,
  nowMs: moment,
  hasModelTime: fc.boolean(),
});

test('a device has moved only if the target said so after the command was sent', () => {
  fc.assert(
    fc.property(evidence, ({ sight, ...times }) => {
      if (outcomeNow({ sight, ...times }) !== 'moved') return;
      expect(sight!.since).toBeDefined();
      // It did not come to the source after it had come to the target.
      expect(sight!.sinceAtSource ?? Number.NEGATIVE_INFINITY).toBeLessThan(sight!.since!);
      expect(sight!.heardMs).toBeGreaterThanOrEqual(times.sentMs);
    }),
  );
});

test('what the target says in the time of a model counts by when it arrived', () => {
  const late = {
    sight: { heardMs: 1_000_000, listTs: 10, since: 9, sinceAtSource: undefined },
    sentMs: 999_000,
    deadlineMs: 2_000_000,
  };
  expect(outcomeNow({ ...late, nowMs: 1_000_000 })).toBeUndefined();
  expect(outcomeNow({ ...late, nowMs: 1_000_000, hasModelTime: true })).toBe('moved');
});

test('every attempt ends at its deadline', () => {
  fc.assert(
    fc.property(evidence, ({ sight, ...times }) => {
      const outcome = outcomeNow({ sight, ...times });
      if (times.nowMs >= times.deadlineMs) expect(outcome).toBeDefined();
      else expect([undefined, 'moved']).toContain(outcome);
    }),
  );
});

test('whatever an access point answers, it cannot make it a success', () => {
  fc.assert(
    fc.property(fc.constantFrom('succeeded', 'failed'), fc.anything(), (state, result) => {
      expect(outcomeOfAnswer(state as 'succeeded', result)).not.toBe('moved');
    }),
  );
});
