// Who stands alone on the map and who is drawn with others.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookOf, type ShownState, worstOf } from '../data/agents.ts';
import { citiesOf, clusterPoints, type MapItem, type MapPoint } from './clusters.ts';
import { ringShares } from './draw-items.ts';
import { toWorld } from './mercator.ts';

const point = (ap_id: string, latitude: number, longitude: number, state: ShownState = 'online'): MapPoint => ({
  ap_id,
  technology: 'WiFi',
  state,
  look: lookOf(state, 'good'),
  ...toWorld({ latitude, longitude }),
});
const members = (items: MapItem[]) =>
  items.flatMap((item) => (item.kind === 'marker' ? [item.point.ap_id] : item.points.map(({ ap_id }) => ap_id)));

describe('access points on the map', () => {
  it('are each drawn once, at every zoom', () => {
    const place = fc.tuple(
      fc.double({ min: -80, max: 80, noNaN: true }),
      fc.double({ min: -179, max: 179, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(place, { maxLength: 60 }), fc.integer({ min: 1, max: 23 }), (places, zoom) => {
        const points = places.map(([latitude, longitude], index) => point(`ap-${index}`, latitude, longitude));
        expect(members(clusterPoints(points, zoom)).sort()).toEqual(points.map(({ ap_id }) => ap_id).sort());
      }),
    );
  });

  it('become one from afar, with the mix of their states, and come apart close up', () => {
    // Three metres apart, as lamps of a room are.
    const lamps = [
      point('a', 51.45523, -2.59665),
      point('b', 51.45523, -2.596607, 'late'),
      point('c', 51.455257, -2.59665, 'offline'),
    ];
    const [cluster, ...others] = clusterPoints(lamps, 12);
    expect(others).toEqual([]);
    expect(cluster).toMatchObject({ kind: 'cluster', looks: { online: 1, late: 1, offline: 1 } });
    // On a picture that is to be seen only what overlaps is one.
    expect(clusterPoints(lamps, 19)).toHaveLength(1);
    expect(clusterPoints(lamps, 19, 6)).toHaveLength(3);
    expect(clusterPoints(lamps, 20).map(({ kind }) => kind)).toEqual(['marker', 'marker', 'marker']);
  });

  it('show one of fifty that reports and has an alarm, but not of one that is away anyhow', () => {
    const points = Array.from({ length: 50 }, (_, n) => point(`ap-${n}`, 51.45 + n * 1e-6, -2.59));
    points[7]!.look = lookOf('online', 'bad');
    points[8]!.look = lookOf('asleep', 'degraded');
    const [cluster] = clusterPoints(points, 12);
    if (cluster?.kind !== 'cluster') throw new Error('They are not one');
    expect(cluster.looks).toMatchObject({ bad: 1, asleep: 1, online: 48, degraded: 0 });
    expect(worstOf(cluster.looks)).toBe('bad');
    expect(ringShares(cluster).bad).toBeGreaterThan(0.09);
    expect([lookOf('online', 'degraded'), lookOf('offline', 'bad')]).toEqual(['degraded', 'offline']);
  });

  it('of several cities are told apart, the largest first', () => {
    const london = [1, 2, 3].map((n) => point(`london-${n}`, 51.5 + n / 100, -0.12));
    const cities = citiesOf([point('bath', 51.38, -2.36), ...london, point('paris', 48.85, 2.35)]);
    expect(cities.map((own) => own.map(({ ap_id }) => ap_id))).toEqual([
      ['london-1', 'london-2', 'london-3'],
      ['bath'],
      ['paris'],
    ]);
  });

  it('at the very same place stand side by side, unless they are too many', () => {
    const same = (count: number) => Array.from({ length: count }, (_, index) => point(`ap-${index}`, 10, 10));
    const pair = clusterPoints(same(2), 23) as { dx: number; dy: number }[];
    expect(pair.map(({ dx }) => Math.round(dx))).toEqual([14, -14]);
    expect(clusterPoints(same(8), 5)).toHaveLength(8);
    expect(clusterPoints(same(9), 23)).toMatchObject([{ kind: 'cluster' }]);
  });
});
