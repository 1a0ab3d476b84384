import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogOutput } from './log-output.ts';

/** A reader with room for so many bytes, that fails in a way of the test's choice. */
class Reader {
  room = 0;
  text = '';
  failure: string | undefined;
  readonly #waiting: (() => void)[] = [];

  readonly write = (bytes: Uint8Array): number => {
    if (this.failure !== undefined) throw Object.assign(new Error(this.failure), { code: this.failure });
    if (this.room === 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' });
    const taken = Math.min(this.room, bytes.length);
    this.room -= taken;
    this.text += Buffer.from(bytes.subarray(0, taken)).toString();
    return taken;
  };
  readonly later = (work: () => void): void => {
    this.#waiting.push(work);
  };

  /** As if the time for the next attempt had come. */
  retry(): void {
    for (const work of this.#waiting.splice(0)) work();
  }

  get lines(): { number?: number; dropped?: number }[] {
    return this.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ lines: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ room: fc.integer({ min: 0, max: 2000 }) }) },
  { weight: 1, arbitrary: fc.constant({ fails: true }) },
);

it('whatever the reader does: bounded, in order, every line is either read whole or counted in a line that is read', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const reader = new Reader();
      const maxBytes = 1000;
      const output = new LogOutput({ write: reader.write, later: reader.later, maxBytes });
      let given = 0;
      for (const one of steps) {
        if ('lines' in one) {
          for (let count = 0; count < one.lines; count++) {
            output.write(`${JSON.stringify({ number: given++ })}\n`);
            // The line about dropped ones may come on top.
            expect(output.keptBytes).toBeLessThanOrEqual(maxBytes + 200);
          }
        } else if ('room' in one) {
          reader.room += one.room;
          reader.retry();
        } else if (reader.text.endsWith('\n') || reader.text === '') {
          reader.failure = 'ENOSPC';
          reader.retry();
          reader.failure = undefined;
        }
      }
      reader.room = Number.MAX_SAFE_INTEGER;
      reader.retry();
      output.finish();
      const numbers = reader.lines.flatMap(({ number }) => (number === undefined ? [] : [number]));
      const reported = reader.lines.reduce((sum, { dropped = 0 }) => sum + dropped, 0);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(reported).toBe(output.dropped);
      expect(numbers.length + reported).toBe(given);
    }),
  );
});

it('a reader that keeps up loses nothing', () => {
  const reader = new Reader();
  reader.room = Number.MAX_SAFE_INTEGER;
  const output = new LogOutput({ write: reader.write, later: reader.later });
  for (let number = 0; number < 1000; number++) output.write(`{"number":${number}}\n`);
  expect(reader.lines).toHaveLength(1000);
  expect(output).toMatchObject({ dropped: 0, keptBytes: 0 });
});

it('at the end a reader that does not read is not waited for longer than said', () => {
  const reader = new Reader();
  const output = new LogOutput({ write: reader.write, later: reader.later });
  output.write('{}\n');
  output.finish(30);
  expect(reader.text).toBe('');
});
