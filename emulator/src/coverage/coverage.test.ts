// The radio map: what must hold at every point of every map, and that it shows what devices receive.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { town } from '../town.ts';
import { createWorld } from '../world/world.ts';
import { type AccessPointType, accessPointTypes } from '../world/world-spec.ts';
import type { RadioState } from '../world/world-state.ts';
import { type CoverageLayer, type CoverageRequest, coverage } from './coverage.ts';
import { CoverageProblem } from './coverage-frame.ts';

const counts = { '5G': 7, WiFi: 9, LiFi: 9 };

/** Seconds into the life of a town, so that there is load. */
function stateOf(seed: number, seconds = 20): RadioState {
  const world = createWorld(town({ counts, devicesEach: 8, seed }));
  for (let n = 0; n < seconds; n++) world.step();
  return world.radioState();
}

const map = (
  state: RadioState,
  technology: AccessPointType,
  layer: CoverageLayer,
  more: Partial<CoverageRequest> = {},
) => coverage(state, { technology, layer, columns: 24, rows: 20, ...more });
const heard = (value: number) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value);
const membersOf = (state: RadioState, technology: AccessPointType) =>
  state.accessPoints.flatMap(({ type }, index) => (type === technology ? [index] : []));
const alone = (state: RadioState, ap: number): RadioState => {
  const copy = structuredClone(state);
  copy.cells.isOnAir.fill(0);
  copy.cells.isOnAir[ap] = 1;
  return copy;
};

const seeds = fc.integer({ min: 0, max: 1000 });
const technologies = fc.constantFrom(...accessPointTypes);

describe('laws of the radio map', () => {
  test('an access point that sleeps raises no signal, and more power lowers none', () => {
    fc.assert(
      fc.property(seeds, technologies, fc.nat(), (seed, technology, pick) => {
        const state = stateOf(seed, 2);
        const members = membersOf(state, technology);
        const ap = members[pick % members.length]!;
        const before = map(state, technology, 'signal').values;
        const asleep = structuredClone(state);
        asleep.cells.isOnAir[ap] = 0;
        const louder = structuredClone(state);
        louder.cells.power[ap]! *= 4;
        const [less, more] = [asleep, louder].map((changed) => map(changed, technology, 'signal').values);
        const { ap_id } = state.accessPoints[ap]!;
        expect(map(asleep, technology, 'best_server').accessPoints).not.toContain(ap_id);
        for (const [n, value] of before.entries()) {
          expect(heard(less![n]!)).toBeLessThanOrEqual(heard(value));
          expect(heard(more![n]!)).toBeGreaterThanOrEqual(heard(value));
        }
      }),
      { numRuns: rounds(12) },
    );
  });

  test('the best server is the one whose signal is the strongest', () => {
    fc.assert(
      fc.property(seeds, technologies, (seed, technology) => {
        const state = stateOf(seed, 2);
        const { values, accessPoints } = map(state, technology, 'best_server');
        const all = map(state, technology, 'signal').values;
        const each = membersOf(state, technology).map((ap) => ({
          ap_id: state.accessPoints[ap]!.ap_id,
          values: map(alone(state, ap), technology, 'signal').values,
        }));
        for (const [n, server] of values.entries()) {
          const strongest = each.reduce((best, one) => (heard(one.values[n]!) > heard(best.values[n]!) ? one : best));
          expect(all[n]).toBe(strongest.values[n]);
          if (Number.isNaN(server)) expect(strongest.values[n]).toBeNaN();
          else expect(accessPoints[server]).toBe(strongest.ap_id);
        }
      }),
      { numRuns: rounds(6) },
    );
  });

  test('others never raise the quality: SINR is at most SNR, and no rate is above that of a network alone', () => {
    fc.assert(
      fc.property(seeds, technologies, (seed, technology) => {
        const state = stateOf(seed);
        const servers = map(state, technology, 'best_server');
        for (const layer of ['sinr', 'rate'] as const) {
          const { values } = map(state, technology, layer);
          for (const ap of membersOf(state, technology)) {
            const place = servers.accessPoints.indexOf(state.accessPoints[ap]!.ap_id);
            const by = map(alone(state, ap), technology, layer).values;
            for (const [n, server] of servers.values.entries()) {
              if (server === place) expect(values[n]).toBeLessThanOrEqual(by[n]! + 1e-4);
            }
          }
        }
      }),
      { numRuns: rounds(6) },
    );
  });

  test.each(accessPointTypes)(
    '%s: every point that is heard has all four layers, and the extremes are those of the values',
    (technology) => {
      const state = stateOf(5);
      const layers = (['best_server', 'signal', 'sinr', 'rate'] as const).map((layer) => map(state, technology, layer));
      const isHeard = [...layers[0]!.values].map((value) => !Number.isNaN(value));
      expect(isHeard).toContain(true);
      for (const { values, min, max } of layers) {
        expect([...values].map((value) => !Number.isNaN(value))).toEqual(isHeard);
        const found = [...values].filter((value) => !Number.isNaN(value));
        expect([min, max]).toEqual([Math.min(...found), Math.max(...found)]);
      }
    },
  );

  test('the same state gives the same bytes, and the state is not touched', () => {
    const state = stateOf(3);
    const copy = structuredClone(state);
    const [one, other] = [state, copy].map((from) => map(from, '5G', 'sinr').values);
    expect(one).toEqual(other);
    expect(state).toEqual(copy);
  });
});

describe('what is asked for', () => {
  const state = stateOf(1, 1);

  test.each([
    ['technology', { technology: 'WiFi' as const }, { counts: { '5G': 1 } }],
    ['bounds', { bounds: { south: 2, west: 0, north: 1, east: 1 } }, { counts }],
    ['columns', { columns: 257 }, { counts }],
    ['height', { technology: 'LiFi' as const, heightM: 3 }, { counts }],
  ])('says that %s makes no sense', (field, more, network) => {
    const world = createWorld(town({ ...network, devicesEach: 1 }));
    world.step();
    const ask = () => coverage(world.radioState(), { technology: '5G', layer: 'signal', columns: 8, rows: 8, ...more });
    expect(ask).toThrow(CoverageProblem);
    expect(ask).toThrow(expect.objectContaining({ field }));
  });

  test('without bounds it shows all access points of the technology, and each is best where it stands', () => {
    const { bounds, values, columns, rows, accessPoints } = map(state, 'LiFi', 'best_server', {
      columns: 90,
      rows: 90,
    });
    for (const { ap_id, type, latitude, longitude } of state.accessPoints) {
      if (type !== 'LiFi') continue;
      const column = Math.floor(((longitude - bounds.west) / (bounds.east - bounds.west)) * columns);
      const row = Math.floor(((bounds.north - latitude) / (bounds.north - bounds.south)) * rows);
      expect(accessPoints[values[row * columns + column]!]).toBe(ap_id);
    }
  });

  test('far from everything nothing is heard', () => {
    const bounds = { south: 10, west: 10, north: 10.1, east: 10.1 };
    const { values, accessPoints, min } = map(state, '5G', 'signal', { bounds });
    expect(values.every(Number.isNaN)).toBe(true);
    expect(accessPoints).toEqual([]);
    expect(min).toBeNaN();
  });
});
