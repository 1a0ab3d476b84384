// Whatever the wall clock says, and however often Weft is restarted, nothing is removed before its time has really passed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { type ClockState, firstState, RetentionClock } from './retention-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-11-17T12:00:00Z');
/** How exactly clocks are read. */
const inexactMs = 2_000;

/** A Weft with a machine: real time passes, its clock may say anything, and its steady clock begins anew with the machine. */
class Machine {
  realMs = start;
  #aheadMs = 0;
  #bootedMs = start - 5 * minute;
  readonly #longestMs: number;
  #saved: ClockState = firstState(start);
  #clock: RetentionClock;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
    this.#clock = this.#open();
  }

  get clock(): RetentionClock {
    return this.#clock;
  }

  get wallMs(): number {
    return this.realMs + this.#aheadMs;
  }

  pass(ms: number): void {
    this.realMs += ms;
    this.#tick();
  }

  setClock(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    this.#tick();
  }

  /** Off for so long; the clock may be another one afterwards. */
  restart(offMs: number, aheadMs: number, isKilled: boolean): void {
    // What was written a minute ago is all that is left.
    if (!isKilled) this.#saved = structuredClone(this.#clock.state!);
    this.realMs += offMs;
    this.#aheadMs = aheadMs;
    this.#bootedMs = this.realMs - minute;
    this.#clock = this.#open();
  }

  #open(): RetentionClock {
    const clock = new RetentionClock(() => this.#longestMs);
    clock.begin(this.#saved, this.wallMs, this.realMs - this.#bootedMs);
    this.#saved = structuredClone(clock.state!);
    return clock;
  }

  #tick(): void {
    const jumped = this.#clock.tick(this.wallMs, this.realMs - this.#bootedMs);
    this.#clock.settle();
    if (jumped !== undefined || this.realMs % 2 === 0) this.#saved = structuredClone(this.#clock.state!);
  }
}

const offset = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -500 * day, max: 500 * day }),
  fc.integer({ min: -3 * minute, max: 3 * minute }),
);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      pass: fc.oneof(fc.integer({ min: 1, max: 3 * hour }), fc.integer({ min: 1, max: 40 * day })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ setClock: offset }) },
  {
    weight: 1,
    arbitrary: fc.record({ off: fc.integer({ min: 0, max: 50 * day }), ahead: offset, isKilled: fc.boolean() }),
  },
);

describe('the clock of the retention', () => {
  test('nothing is removed before its time has really passed, whatever the wall clock says', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const kinds = [hour, day, 30 * day, 400 * day];
        const machine = new Machine(400 * day);
        const stored: { at: number; ts: number }[] = [];
        for (const each of steps) {
          stored.push({ at: machine.realMs, ts: machine.wallMs });
          if ('pass' in each) machine.pass(each.pass);
          else if ('setClock' in each) machine.setClock(each.setClock);
          else machine.restart(each.off, each.ahead, each.isKilled);
          if (machine.clock.isPaused) continue;
          for (const keptMs of kinds) {
            const due = stored.filter(({ ts }) => ts + keptMs <= machine.clock.now(keptMs) - inexactMs);
            for (const { at } of due) expect(machine.realMs - at).toBeGreaterThanOrEqual(keptMs - inexactMs);
          }
        }
      }),
      { numRuns: rounds(2_000) },
    );
  });

  test('and everything is removed once its time has passed twice with a steady clock', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.constantFrom(hour, day, 30 * day), (steps, keptMs) => {
        const machine = new Machine(400 * day);
        for (const each of steps) {
          if ('pass' in each) machine.pass(each.pass);
          else if ('setClock' in each) machine.setClock(each.setClock);
          else machine.restart(each.off, each.ahead, each.isKilled);
        }
        machine.setClock(0);
        const ts = machine.wallMs;
        for (let hours = 0; hours <= (2 * keptMs) / hour + 1; hours++) machine.pass(hour);
        expect(machine.clock.isPaused).toBe(false);
        expect(machine.clock.now(keptMs)).toBeGreaterThan(ts + keptMs);
        expect(Math.abs(machine.clock.now(keptMs) - machine.wallMs)).toBeLessThanOrEqual(inexactMs);
      }),
      { numRuns: rounds(200) },
    );
  });

  test('a jump pauses until an hour of steady time has passed; another one begins it anew', () => {
    const machine = new Machine(day);
    expect(machine.clock.isPaused).toBe(false);
    machine.setClock(31 * day);
    machine.pass(80_000);
    expect(machine.clock.isPaused).toBe(true);
    machine.setClock(0);
    machine.pass(hour - 1);
    expect(machine.clock.isPaused).toBe(true);
    machine.pass(1);
    expect(machine.clock.isPaused).toBe(false);
    // It went ahead and came back: there is nothing to make up for.
    expect(machine.clock.now(day)).toBe(machine.wallMs);
  });

  test('a stop of less than a day, or a clock that is corrected a little, pauses nothing', () => {
    const machine = new Machine(day);
    machine.restart(23 * hour, 0, false);
    machine.setClock(59_000);
    expect(machine.clock.isPaused).toBe(false);
    machine.restart(25 * hour, 59_000, false);
    expect(machine.clock.isPaused).toBe(true);
  });

  test('a clock that is behind after a restart pauses', () => {
    const machine = new Machine(day);
    machine.restart(minute, -3 * minute, false);
    expect(machine.clock.isPaused).toBe(true);
  });

  test('the word of an operator makes the clock count as it is', () => {
    const machine = new Machine(400 * day);
    machine.setClock(31 * day);
    machine.clock.accept();
    expect(machine.clock.isPaused).toBe(false);
    expect(machine.clock.now(30 * day)).toBe(machine.wallMs);
  });

  test('what it remembers has a bound, and forgets nothing that would let it remove too early', () => {
    const clock = new RetentionClock(() => 400 * day);
    clock.begin(firstState(start), start, 0);
    for (let n = 1; n <= 1_500; n++) clock.tick(start + n * 10_000, 0);
    expect(clock.state!.offsets.length).toBeLessThanOrEqual(1_000);
    // None of that time is known to have passed.
    expect(clock.now(day)).toBe(start);
  });
});
