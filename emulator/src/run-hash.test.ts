// One run, every digit of it: whoever changes the model on purpose puts the new hash here. It is the same on arm64 and x64,
// because a second is made of what IEEE 754 rounds the same everywhere: + - * / and square roots of doubles, comparisons, whole
// numbers of 32 bits; logarithms and angles are made of those (exact-math.ts), and the engine joins no product and sum into one
// rounding, whichever of its compilers runs. What the language leaves to the engine is not used (exact-math.test.ts).
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Environment } from './env/index.ts';
import { createWorld, restoreWorld } from './index.ts';
import { town } from './town.ts';

const committed = 'dfd9f76d03ad2267d66eb5afaf05dd704f5f08fc140a9a5c3d8422dd17e5dcc5';

/** Two minutes with commands and faults; put away and taken up again every `pauseEvery` seconds. */
function tell(pauseEvery: number): string {
  let world = createWorld(town({ counts: { '5G': 4, WiFi: 6, LiFi: 6 }, devicesEach: 12, seed: 20_260_107 }));
  const hash = createHash('sha256');
  const events: Record<number, () => unknown> = {
    10: () => world.command('5g-1', 'sleep'),
    20: () => world.command('wifi-2', 'set_channel', { channel: 149 }),
    30: () => world.command('lifi-3', 'set_dimming', { percent: 33 }),
    40: () => world.fault('wifi-1', { kind: 'backhaul_cut', seconds: 15 }),
    50: () => world.fault('lifi-0', { kind: 'duplicate_samples', seconds: 30 }),
    60: () => world.command('5g-1', 'wake'),
    65: () => world.command('5g-3', 'doze'),
    70: () => world.fault('5g-0', { kind: 'jammed_channel', seconds: 20 }),
    75: () => world.fault('wifi-4', { kind: 'jammed_channel', seconds: 20 }),
    76: () => world.command('wifi-5', 'set_channel_width', { mhz: 80 }),
    80: () => world.command('5g-2', 'set_tilt', { degrees: 2.5 }),
    85: () => world.command('5g-0', 'set_handover_margin', { db: 1 }),
    90: () => world.command('wifi-0', 'steer_device', { target: '5g-0' }),
    100: () => world.reseed(3),
  };
  for (let second = 0; second < 120; second++) {
    if (second % pauseEvery === 0) world = restoreWorld(world.snapshot());
    const result = events[second]?.();
    if (result !== undefined) hash.update(JSON.stringify(result));
    hash.update(JSON.stringify(world.step()));
  }
  return hash.digest('hex');
}

test('a run gives the values it has always given, in one go or with breaks', () => {
  expect(tell(Infinity)).toBe(committed);
  expect(tell(7)).toBe(committed);
});

const committedOfWorlds = 'fb6ddc6ecba6221c4b0a3a47871498d21794494e39196eb112b4c095ebbd304c';

test('worlds beside each other, in offices, above roofs and under lamps, give the values they have always given', () => {
  const [types, scenarios] = [['5G', 'WiFi', '5G', 'LiFi'], { 0: 'UMa', 2: 'InH' } as Record<number, string>];
  const access_points = Array.from({ length: 12 }, (_, n) => ({
    ap_id: `ap-${n}`,
    access_point_type: types[n % 4]!,
    location: { latitude: 51.4545 + Math.floor(n / 4) / 4000, longitude: -2.5879 + (n % 4) / 3000 },
    num_devices: 6,
    ...(n % 4 in scenarios && { scenario: scenarios[n % 4]! }),
  }));
  const environment = new Environment({ access_points, start: '2026-01-07T10:00:00Z', devices: true } as never, 3);
  const hash = createHash('sha256');
  let { masks } = environment.reset([1, 2, 0xffffffff], 30);
  const choices = environment.layout.choices.length;
  for (let step = 0; step < 15; step++) {
    const wanted = Float32Array.from({ length: 36 }, (_, row) => (7 * step + 13 * row) % choices);
    const answer = environment.step(
      1 + (step % 9),
      wanted.map((choice, row) => (step % 3 === 1 && masks[row * choices + choice] === 1 ? choice : 0)),
    );
    hash.update(new Uint8Array(answer.block.buffer));
    masks = answer.masks;
  }
  expect(hash.digest('hex')).toBe(committedOfWorlds);
});
