import { describe, expect, test } from 'vitest';
import type { ControlProgram } from '../fleet/control-program.ts';
import type { SeenDevice } from '../fleet/seen-device.ts';
import { type ModelTrial, runOnModel } from './model-trial.ts';

const trial: ModelTrial = {
  emulators: [
    { access_point_type: '5G', num_access_points: 3, num_devices: 5, locations: ['51.4545,-2.5879'] },
    { access_point_type: 'WiFi', num_access_points: 2, num_devices: 5, locations: ['51.4545,-2.5879'] },
  ],
  seed: 1,
  startMs: Date.UTC(2026, 10, 12, 9),
  seconds: 120,
  reportIntervalSeconds: 10,
};

/** Orders the same in every round, and remembers what it saw. */
class Stubborn implements ControlProgram {
  readonly everySeconds = 20;
  readonly rounds: { atMs: number; places: string[]; awake: number }[] = [];
  readonly undoneOrders: string[] = [];
  readonly #orders: { ap_id: string; name: string }[];

  constructor(...orders: { ap_id: string; name: string }[]) {
    this.#orders = orders;
  }

  decide(cells: Parameters<ControlProgram['decide']>[0], nowMs: number) {
    const places = cells.map(({ ap_id, latitude, longitude }) => `${ap_id} ${latitude} ${longitude}`);
    this.rounds.push({ atMs: nowMs, places, awake: cells.filter(({ isAwake }) => isAwake).length });
    return this.#orders.map((order) => ({ ...order, holdSeconds: 1, because: '' }));
  }

  undone({ ap_id, name }: { ap_id: string; name: string }, why: string): void {
    this.undoneOrders.push(`${ap_id} ${name} ${why}`);
  }
}

describe('a trial on the model', () => {
  test('has the same figures every time, and other ones with another seed', () => {
    const figures = runOnModel(trial);
    expect(runOnModel(trial)).toEqual(figures);
    expect(runOnModel({ ...trial, seed: 2 })).not.toEqual(figures);
    expect(figures).toMatchObject({ changes: 0, done: 0, failed: 0 });
    const { askedGbit, deliveredGbit, droppedGbit } = figures;
    expect(askedGbit).toBeGreaterThan(0);
    expect(deliveredGbit + droppedGbit).toBeLessThanOrEqual(askedGbit);
  });

  test('a program sees all access points, where a spin-up puts them, at its own interval', () => {
    const program = new Stubborn();
    runOnModel({ ...trial, program });
    const [first, second] = program.rounds;
    expect(first!.places).toHaveLength(5);
    expect(first!.places[0]).toBe('emu-5g-1-1 51.4545 -2.5879');
    expect(first!.places[1]).toMatch(/^emu-5g-1-2 51\.4544999 -2\.58357\d\d$/);
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(20_000);
    expect(program.rounds.length).toBeGreaterThanOrEqual(3);
  });

  test('a program that wants to sees all devices, with their links and what they hear', () => {
    const rounds: (readonly SeenDevice[])[] = [];
    const program: ControlProgram = { everySeconds: 20, see: (devices) => void rounds.push(devices), decide: () => [] };
    const figures = runOnModel({ ...trial, program });
    expect(rounds.length).toBeGreaterThanOrEqual(3);
    const seen = rounds.at(-1)!;
    expect(new Set(seen.map(({ device }) => device)).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(15);
    for (const { technology } of seen.flatMap(({ links }) => links)) expect(technology).toMatch(/^(5G|WiFi)$/);
    // Access points list their devices at different seconds: who changes in between is in two lists, as with Weft.
    expect(seen.filter(({ links }) => links.length === 1).length).toBeGreaterThan(0.8 * seen.length);
    expect(seen.every(({ links }) => links.length > 0)).toBe(true);
    expect(seen.some(({ heard }) => heard.length > 0)).toBe(true);
    // Looking changes nothing.
    expect(figures).toEqual(runOnModel(trial));
    expect(figures.outageS).toBeGreaterThanOrEqual((figures.unservedPct / 100) * 120 * 25 - 1e-6);
    expect(figures.inBudgetPct).toBeLessThanOrEqual(100);
    expect(figures.batteryKj).toBeGreaterThan(0);
  });

  test('orders are executed in the second of the decision', () => {
    const program = new Stubborn({ ap_id: 'emu-5g-1-1', name: 'sleep' });
    const figures = runOnModel({ ...trial, program });
    expect(program.rounds.at(-1)!.awake).toBe(4);
    expect(figures.changes).toBe(1);
    expect(figures.energyKwh).toBeLessThan(runOnModel(trial).energyKwh);
    expect(program.undoneOrders).toEqual([]);
  });

  test('a program is told of orders that the access point refuses', () => {
    const program = new Stubborn({ ap_id: 'emu-5g-1-1', name: 'set_dimming' });
    const { done, failed } = runOnModel({ ...trial, program });
    expect({ done, failed }).toEqual({ done: 0, failed: program.rounds.length });
    expect(program.undoneOrders[0]).toBe('emu-5g-1-1 set_dimming failed');
  });
});
