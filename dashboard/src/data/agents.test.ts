// Configurations are free-form: whatever stands there, the dashboard goes on.
// Names of access points, asked for in few questions.
import { parseSelector } from '@weft/contract/selector';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  batchesOf,
  byName,
  coverageOf,
  findAgent,
  isSleeping,
  isStale,
  noteNames,
  readCoordinates,
  selectorOf,
  shownState,
  technologyOf,
  withAgentName,
  worstOf,
  writeCoordinates,
} from './agents.ts';

it('a sentence names an access point as people call it, once, also where its name contains its id', () => {
  noteNames([
    { ap_id: 'ap-1', display_name: 'ap-1 by the stairs' },
    { ap_id: 'ap-2', display_name: 'Roof' },
  ]);
  expect(withAgentName('ap-2 is offline', 'ap-2')).toBe('Roof is offline');
  expect(withAgentName('ap-1 is offline', 'ap-1')).toBe('ap-1 by the stairs is offline');
  expect(withAgentName('ap-1 by the stairs is offline', 'ap-1')).toBe('ap-1 by the stairs is offline');
});

it('the technology is read however it is spelled, and unknown for anything else', () => {
  expect(['5G', '5g', 'WiFi', 'Wi-Fi', 'LIFI'].map((access_point_type) => technologyOf({ access_point_type }))).toEqual(
    ['5G', '5G', 'WiFi', 'WiFi', 'LiFi'],
  );
  expect([undefined, 3, '<b>', 'constructor'].map((told) => technologyOf({ access_point_type: told }))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

const ids = fc.array(fc.stringMatching(/^[a-z0-9"\\ ().:-]{1,80}$/), { maxLength: 120 });

it('every name is asked for once, and every question can be parsed', () => {
  fc.assert(
    fc.property(ids, (ap_ids) => {
      const batches = batchesOf(ap_ids);
      expect(batches.flat()).toEqual(ap_ids);
      for (const batch of batches) expect(() => parseSelector(selectorOf(batch))).not.toThrow();
    }),
  );
});

const told = { last_seen: '2026-01-01T10:00:30Z', report_interval_seconds: 2 };

it('a value that comes with the reports holds, one that they carry no longer does not', () => {
  expect(isStale('2026-01-01T10:00:30Z', 'online', told)).toBe(false);
  expect(isStale('2026-01-01T10:00:22Z', 'asleep', told)).toBe(false);
  expect(isStale('2026-01-01T10:00:20Z', 'asleep', told)).toBe(true);
  expect(isStale('2026-01-01T10:00:20Z', 'online', undefined)).toBe(false);
});

it('nothing holds of what is away or over', () => {
  for (const state of ['offline', 'ended', 'never'] as const) {
    expect(isStale('2026-01-01T10:00:30Z', state, told)).toBe(true);
  }
});

const none = { online: 0, late: 0, offline: 0, never: 0, ended: 0, asleep: 0, bad: 0, degraded: 0 };

it('one that sleeps is said to be asleep, unless it is away', () => {
  expect(shownState('online', true)).toBe('asleep');
  expect(shownState('late', true)).toBe('asleep');
  for (const state of ['offline', 'never', 'ended'] as const) expect(shownState(state, true)).toBe(state);
  expect(['asleep', 'dozing', 'on', null].map((state) => isSleeping(state))).toEqual([true, true, false, false]);
});

it('one failed access point among many says how they are; ended ones say nothing', () => {
  expect(worstOf({ ...none, online: 49, offline: 1 })).toBe('offline');
  expect(worstOf({ ...none, online: 3, late: 1, asleep: 1 })).toBe('late');
  expect(worstOf({ ...none, online: 1, ended: 9 })).toBe('online');
});

it('is what its configuration says, else the default of its type, else unknown', () => {
  expect(coverageOf('LiFi', { coverage_radius_m: 4.5 })).toEqual({ metres: 4.5, isDefault: false });
  expect(coverageOf(undefined, { range_m: '80' })).toEqual({ metres: 80, isDefault: false });
  expect(coverageOf('WiFi', { coverage_radius_m: 'far' })).toEqual({ metres: 30, isDefault: true });
  expect(coverageOf('5G', { coverage_radius_m: -1 })).toEqual({ metres: 250, isDefault: true });
  expect(coverageOf(undefined, {})).toBeUndefined();
});

it('somebody means an access point by name, id, or a part that no other has', () => {
  const agents = [
    { ap_id: 'emu-1', display_name: 'bristol-wifi-1' },
    { ap_id: 'emu-10', display_name: 'bristol-wifi-10' },
    { ap_id: 'Dach', display_name: null },
  ];
  const found = (text: string) => findAgent(agents, text)?.ap_id;
  expect([found('Bristol-WiFi-1'), found('emu-10'), found('wifi-10'), found('dach')]).toEqual([
    'emu-1',
    'emu-10',
    'emu-10',
    'Dach',
  ]);
  expect([found('bristol'), found(''), found('nobody')]).toEqual([undefined, undefined, undefined]);
});

it.each(['51.4552, -2.5966', '51.4552 −2.5966', ' 51.4552;-2.5966 '])('the place %s is understood', (text) => {
  expect(readCoordinates(text)).toEqual({ latitude: 51.4552, longitude: -2.5966 });
});

it.each(['', 'Bristol', '51.4', '91, 0', '1, 2, 3', 'a, b'])('“%s” is no place', (text) => {
  expect(readCoordinates(text)).toBeUndefined();
});

it('what is written is read back', () => {
  expect(writeCoordinates(51.455, -2.5966)).toBe('51.45500, -2.59660');
  expect(readCoordinates(writeCoordinates(51.455, -2.5966))).toEqual({ latitude: 51.455, longitude: -2.5966 });
  expect(readCoordinates('51.4 −2.5')).toEqual({ latitude: 51.4, longitude: -2.5 });
});

it('names and places beyond the globe have none', () => {
  for (const text of ['Bristol', '91, 0', '1, 181', '1', '1, 2, 3', '']) expect(readCoordinates(text)).toBeUndefined();
});

it('access points are in the order of their names, as people count', () => {
  const names = ['bristol-5g-10', 'bath-5g-1', 'bristol-5g-2'];
  noteNames(names.map((display_name, n) => ({ ap_id: `emu-5g-0badcafe-${n + 1}`, display_name })));
  const agents = names.map((_, n) => ({ ap_id: `emu-5g-0badcafe-${n + 1}` }));
  expect(byName(agents).map(({ ap_id }) => ap_id.at(-1))).toEqual(['2', '3', '1']);
});
