// Guards that are offered, and how fields and words say them.
import { describe, expect, it } from 'vitest';
import { guardInWords, guardOf, suggestGuard } from './guard-fields.tsx';

const at = (values: Record<string, number>, ts = '2026-01-01T00:00:00Z') =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { ts, value }]));

describe('a guard that is offered', () => {
  it('wants noise to fall where a channel is noisy', () => {
    const latest = at({ noise_floor_dbm: -12.1, latency_ms: 8, connected_devices: 9 });
    expect(suggestGuard('set_channel', { latest })).toMatchObject({
      metric: 'noise_floor_dbm',
      comparison: '<',
      limit: -16,
    });
  });

  it('lets latency grow, and is about the neighbours of one that goes to sleep', () => {
    const latest = at({ noise_floor_dbm: -91, latency_ms: 60 });
    expect(suggestGuard('set_channel', { latest })).toMatchObject({
      metric: 'latency_ms',
      limit: 300,
      isOfNeighbours: false,
    });
    expect(suggestGuard('sleep', { latest })).toMatchObject({ metric: 'latency_ms', limit: 300, isOfNeighbours: true });
  });

  it('is not made of values that are old, nor of nothing', () => {
    const latest = { ...at({ latency_ms: 30 }, '2025-12-31T00:00:00Z'), ...at({ connected_devices: 9 }) };
    expect(suggestGuard('set_channel', { latest })).toMatchObject({
      metric: 'connected_devices',
      comparison: '>',
      limit: 3,
    });
    expect(suggestGuard('sleep', { latest })).toBeUndefined();
    expect(suggestGuard('set_channel', { latest: at({ connected_devices: 1 }) })).toBeUndefined();
    expect(suggestGuard('set_channel', {})).toBeUndefined();
  });
});

it('a guard is sent as the fields say it', () => {
  const fields = { guard_metric: ' latency_ms ', guard_comparison: '<', guard_limit: '44', guard_scope: '' };
  expect(guardOf(fields)).toBe('latency_ms<44');
  expect(guardOf({ ...fields, guard_scope: 'neighbours' })).toBe(
    '{"selector":"neighbours","metric":"latency_ms","op":"<","value":44}',
  );
  expect(guardOf({ ...fields, guard_metric: ' ' })).toBeUndefined();
});

it('a guard has words', () => {
  const guard = { metric: 'latency_ms', comparison: '<', limit: 44, isOfNeighbours: true } as const;
  expect(guardInWords(guard).replaceAll('\u2009', ' ')).toBe('latency stays below 44 ms at its neighbours');
});
