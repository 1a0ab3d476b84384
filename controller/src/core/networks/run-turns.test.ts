// Nobody fills all places for a week: some are left for callers that are still to come.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leavesRoom } from './run-turns.ts';

/** Emulators with so many places each; runs that never end. */
class Emulators {
  readonly #taken: { caller: number; emulator: number }[] = [];
  readonly #places: readonly number[];

  constructor(places: readonly number[]) {
    this.#places = places;
  }

  get free(): number {
    return this.#places.reduce((sum, _, emulator) => sum + this.freeOf(emulator), 0);
  }

  get callers(): number {
    return new Set(this.#taken.map(({ caller }) => caller)).size;
  }

  freeOf(emulator: number): number {
    return this.#places[emulator]! - this.#taken.filter((run) => run.emulator === emulator).length;
  }

  runsOf(caller: number, emulator?: number): number {
    return this.#taken.filter((run) => run.caller === caller && (emulator === undefined || run.emulator === emulator))
      .length;
  }

  /** Whether the caller got a place. */
  take(caller: number, emulator: number): boolean {
    const own = { all: this.runsOf(caller), here: this.runsOf(caller, emulator) };
    const slots = { total: this.#places[emulator]!, free: this.freeOf(emulator) };
    if (!leavesRoom(own, slots)) return false;
    this.#taken.push({ caller, emulator });
    return true;
  }
}

const requests = (callers: number, emulators: number) =>
  fc.array(fc.tuple(fc.nat(callers - 1), fc.nat(emulators - 1)), { maxLength: 200 });

describe('laws of the places', () => {
  test('who has no run is refused only where all places are taken', () => {
    const places = fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        places.chain((found) => fc.tuple(fc.constant(found), requests(12, found.length))),
        ([found, asked]) => {
          const emulators = new Emulators(found);
          for (const [caller, emulator] of asked) {
            const [hadNone, free] = [emulators.runsOf(caller) === 0, emulators.freeOf(emulator)];
            const isGiven = emulators.take(caller, emulator);
            if (hadNone) expect(isGiven).toBe(free > 0);
            // The last place of an emulator with several is nobody's second.
            if (isGiven && found[emulator]! > 1 && free === 1) expect(hadNone).toBe(true);
          }
        },
      ),
    );
  });

  test('however greedy they are, 2^n - 1 places take n callers to fill', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), requests(12, 1), (total, asked) => {
        const emulators = new Emulators([total]);
        for (const [caller] of asked) emulators.take(caller, 0);
        // Those that came first take all they can, one after the other.
        for (let caller = 0; caller < 12; caller++) while (emulators.take(caller, 0));
        if (emulators.free === 0) expect(2 ** emulators.callers - 1).toBeGreaterThanOrEqual(total);
      }),
    );
  });
});

test('of eight places four callers get some, and the first of them no fewer than before', () => {
  const emulators = new Emulators([8]);
  const maxRunning = 4;
  for (let caller = 0; caller < 5; caller++) {
    while (emulators.runsOf(caller) < maxRunning && emulators.take(caller, 0));
  }
  expect([0, 1, 2, 3, 4].map((caller) => emulators.runsOf(caller))).toEqual([4, 2, 1, 1, 0]);
});

test('an emulator with one place has none to leave', () => {
  expect(leavesRoom({ all: 3, here: 0 }, { total: 1, free: 1 })).toBe(true);
  expect(leavesRoom({ all: 0, here: 0 }, { total: 1, free: 0 })).toBe(false);
});
