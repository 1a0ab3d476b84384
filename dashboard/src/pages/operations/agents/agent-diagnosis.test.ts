// What the head of an access point's page says, and what its alarms say about its charts.
import { describe, expect, it } from 'vitest';
import { evidenceWords, quietWords, tellingOf } from './agent-diagnosis.tsx';
import { chooseMetrics } from './metric-choice.tsx';
import { chartAlarm, metricsOf, worstFirst } from './use-agent-alarms.ts';

const plain = (text: string) => text.replaceAll(/[\u00a0\u2009]/g, ' ').replaceAll('\u2212', '-');
const evidence = (text: string, value: number | null, unit: string) => ({ text, value, unit });

it('without an alarm, what is not well has its reason', () => {
  expect(quietWords('degraded', ['Hand-overs succeeded in 69 % of the time', 'Its reports are late'])).toBe(
    'Degraded: Hand-overs succeeded in 69 % of the time. Its reports are late. No active alarms.',
  );
  expect([quietWords('good', []), quietWords('degraded', [])]).toEqual(['No active alarms.', 'No active alarms.']);
});

describe('evidence', () => {
  it.each([
    [evidence('Noise on channel 108', -12.1, 'dBm'), 'noise -12.1 dBm'],
    [evidence('Noise on channel 36', -91, 'dBm'), 'noise on channel 36 -91 dBm'],
    [evidence('Devices that get nothing', 9, 'devices'), '9 devices get nothing'],
    [evidence('Devices on it', 3, 'devices'), '3 devices on it'],
    [evidence('Others like it with the same trouble, of 5', 1, ''), 'others like it with the same trouble: 1 of 5'],
    [evidence('Nothing was kept of that time', null, ''), 'nothing was kept of that time'],
  ])('%j is words with its number', (each, words) => {
    expect(plain(evidenceWords(each, 'Jammed on channel 108'))).toBe(words);
  });

  it('its first number and who is affected stand in the sentence', () => {
    const all = [evidence('a', 1, 'dBm'), evidence('b', 2, 'dBm'), evidence('c', 3, 'devices')];
    expect(tellingOf(all).map(({ text }) => text)).toEqual(['a', 'c']);
    expect(tellingOf(all.slice(0, 2)).map(({ text }) => text)).toEqual(['a', 'b']);
    expect(tellingOf([])).toEqual([]);
  });
});

describe('alarms on charts', () => {
  const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
  const rang = (rule_id: string, since: number, cleared?: number) => ({
    rule_id,
    since: at(since),
    cleared_at: cleared === undefined ? null : at(cleared),
  });
  const rules = new Map([
    ['noise', { condition: { metric: 'noise_floor_dbm', op: '>', value: -85 } as const }],
    ['ratio', { condition: { metric: 'served', op: '<', other_metric: 'connected', value: 0 } as const }],
  ]);
  const seconds = (minute: number) => Date.parse(at(minute)) / 1000;

  it('are shaded once where several ring, until now if they still do; the limit is that of the metric', () => {
    const alarms = [rang('ratio', 8), rang('noise', 7), rang('noise', 1, 3), rang('ratio', 2, 4)];
    const spans = [
      { from: seconds(1), to: seconds(4) },
      { from: seconds(7), to: Number.POSITIVE_INFINITY },
    ];
    expect(chartAlarm(alarms, rules, ['noise_floor_dbm'])).toEqual({ limit: -85, spans });
    expect(chartAlarm(alarms, rules, ['served'])).toEqual({ limit: undefined, spans });
    expect(chartAlarm([], rules, ['served'])).toBeUndefined();
  });

  it('the worst and then the oldest is diagnosed first', () => {
    const alarms = [
      { severity: 'minor', since: at(1) },
      { severity: 'major', since: at(3) },
      { severity: 'major', since: at(2) },
    ] as const;
    expect(worstFirst(alarms).map(({ since }) => since)).toEqual([at(2), at(3), at(1)]);
  });

  it('what the diagnosis has looked at is charted', () => {
    const links = ['/agents/a?metrics=x,y', '/map', null, '/agents/a?metrics=x'].map((link) => ({ link }));
    expect(metricsOf(links)).toEqual(['x', 'y']);
  });

  it('what they are about is charted first, unless others were chosen', () => {
    const known = ['power_w', 'noise_floor_dbm', 'throughput_mbps'].map((name) => ({ name }));
    const names = (wanted: string) => chooseMetrics(known, wanted, ['noise_floor_dbm']).map(({ name }) => name);
    expect(names('')).toEqual(['noise_floor_dbm', 'throughput_mbps', 'power_w']);
    expect(names('power_w')).toEqual(['power_w']);
  });
});
