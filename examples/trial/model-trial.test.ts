import { describe, expect, test } from 'vitest';
import type { ControlProgram } from '../fleet/control-program.ts';
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
