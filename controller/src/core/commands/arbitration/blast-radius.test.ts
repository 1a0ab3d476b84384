import { describe, expect, test } from 'vitest';
import { BlastRadius, SiteSizes } from './blast-radius.ts';

describe('the blast radius', () => {
  test('counts different agents of one app and site within the window', () => {
    const blast = new BlastRadius();
    expect(blast.look('a', { site: 's' }, 'ap-1', 50, 60_000, 0)).toEqual({
      commanded: 1,
      agents: 50,
      frees_at: 60_000,
    });
    blast.count('a', { site: 's' }, 'ap-1', 0);
    blast.count('a', { site: 's' }, 'ap-2', 1000);
    blast.count('a', { site: 's' }, 'ap-2', 2000);
    expect(blast.look('a', { site: 's' }, 'ap-2', 50, 60_000, 3000)).toEqual({
      commanded: 2,
      agents: 50,
      frees_at: 60_000,
    });
    expect(blast.look('a', { site: 's' }, 'ap-3', 50, 60_000, 3000).commanded).toBe(3);
    expect(blast.look('b', { site: 's' }, 'ap-3', 50, 60_000, 3000).commanded).toBe(1);
    expect(blast.look('a', { site: null }, 'ap-3', 50, 60_000, 3000).commanded).toBe(1);
    expect(blast.look('a', { site: 's' }, 'ap-3', 50, 60_000, 60_000)).toMatchObject({
      commanded: 2,
      frees_at: 62_000,
    });
    expect(blast.look('a', { site: 's' }, 'ap-3', 50, 60_000, 62_000).commanded).toBe(1);
    expect(blast.entries).toBe(0);
  });

  test('a command to an agent that was commanded before makes it young again', () => {
    const blast = new BlastRadius();
    for (const [ap_id, at] of [
      ['ap-1', 0],
      ['ap-2', 1],
      ['ap-1', 2],
    ] as const)
      blast.count('a', { site: null }, ap_id, at);
    expect(blast.look('a', { site: null }, 'ap-3', 1, 10, 5)).toMatchObject({ commanded: 3, frees_at: 11 });
    expect(blast.look('a', { site: null }, 'ap-3', 1, 10, 11)).toMatchObject({ commanded: 2, frees_at: 12 });
  });

  test('stays within its bound', () => {
    const blast = new BlastRadius(100);
    for (let n = 0; n < 5000; n++) blast.count(`app-${n % 50}`, { site: `${n % 7}` }, `ap-${n}`, n);
    expect(blast.entries).toBeLessThanOrEqual(100);
    expect(blast.look('app-49', { site: `${4999 % 7}` }, 'x', 1, 60_000, 5000).commanded).toBeGreaterThan(1);
  });
});

test('sites have the size of their agents, and all access points that of all', () => {
  const sizes = new SiteSizes();
  const of = () => [sizes.of({ site: 'lab' }), sizes.of({ site: null }), sizes.of({ site: 'else' })];
  sizes.add({ site: 'lab' }, 1);
  sizes.add({ site: 'lab' }, 1);
  sizes.add({ site: null }, 1);
  expect(of()).toEqual([2, 3, 0]);
  sizes.add({ site: 'lab' }, -1);
  sizes.add({ site: 'else' }, 1);
  sizes.add({ site: 'lab' }, -1);
  expect(of()).toEqual([0, 2, 1]);
});
