// The emulator's WiFi against what ns-3 gave (results.json, made by `npm run truth:wifi`).
import { describe, expect, test } from 'vitest';
import { ns3Cases } from './cases.ts';
import { emulatedMbps } from './emulated-cells.ts';
import { ns3Arguments, ns3Results } from './ns3-results.ts';

const rows = ns3Cases.map((each) => {
  const { mbps } = ns3Results.find(({ name }) => name === each.name)!;
  return { ...each, ns3: mbps, weft: emulatedMbps(each) };
});
const total = (name: string) => rows.find((row) => row.name === name)!.weft.reduce((sum, value) => sum + value, 0);

test('there are results of every case, made as the program is called now', () => {
  expect(ns3Results.map(({ name }) => name)).toEqual(ns3Cases.map(({ name }) => name));
  for (const each of ns3Cases) {
    const { command } = ns3Results.find(({ name }) => name === each.name)!;
    expect(command).toBe(['wifi-cells', ...ns3Arguments(each)].join(' '));
  }
});

describe('throughput is that of ns-3', () => {
  test.each(rows)('$name', ({ name, ns3, weft, cells = 1, stations = 1, uplink }) => {
    // Many that send without RTS: 25 %. One client: 10 %.
    const limit = name === '20 up' ? 0.25 : cells === 1 && (stations === 1 || !uplink) ? 0.1 : 0.15;
    const best = Math.max(...ns3);
    for (const [cell, mbps] of ns3.entries()) {
      // Who starves there starves here: a twentieth of the others' air, more or less.
      if (mbps < best / 20) expect(weft[cell]).toBeLessThan(mbps + best / 20);
      else expect(Math.abs(weft[cell]! / mbps - 1), `${weft[cell]} Mb/s, ns-3 ${mbps}`).toBeLessThan(limit);
    }
  });
});

test('and the order of any two cells, and of any two numbers of senders, is never the other way round', () => {
  for (const { ns3, weft } of rows) {
    for (const [a, one] of ns3.entries()) {
      // Equal ones are not in order, there as here.
      for (const [b, other] of ns3.entries()) if (one > 1.2 * other) expect(weft[a]).toBeGreaterThan(weft[b]!);
    }
  }
  const numbers = [1, 2, 5, 10, 20];
  for (const [n, stations] of numbers.entries()) {
    if (n > 0) expect(total(`${stations} up`)).toBeLessThan(total(`${numbers[n - 1]} up`));
    if (n > 0) expect(total(`${stations} up, RTS`)).toBeGreaterThan(total(`${stations} up`));
  }
});
