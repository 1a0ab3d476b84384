import { describe, expect, test } from 'vitest';
import { leavesOf, rankOf, rolloutActions, selectorWords, valueWords } from './config-words.tsx';

test('settings are leaf by leaf, with units, and secrets by their names alone', () => {
  const guest = { ssid: 'Hi', passphrase: { secret: 'psk', version: 3 } };
  const settings = { tx_power_dbm: -3.25, networks: { guest }, list: [1], off: null };
  expect(leavesOf(settings).map(([leaf, value]) => `${leaf} ${valueWords(leaf, value)}`)).toEqual([
    'tx_power_dbm −3.25\u2009dBm',
    'networks.guest.ssid Hi',
    'networks.guest.passphrase secret psk',
    'list [1]',
    'off not set',
  ]);
  expect(selectorWords('tag:hall')).toBe('Access points that are tagged hall');
  expect(selectorWords('tag')).toBe('Tag');
});

describe('a roll-out', () => {
  test('offers what can be done now, to who may', () => {
    expect(rolloutActions({ state: 'running', may_change: true })).toEqual(['pause', 'revert', 'abort']);
    expect(rolloutActions({ state: 'stopped', may_change: true })).toEqual(['resume', 'revert', 'abort']);
    expect(rolloutActions({ state: 'completed', may_change: true })).toEqual(['revert']);
    expect(rolloutActions({ state: 'aborted', may_change: true })).toEqual([]);
    expect(rolloutActions({ state: 'running', may_change: false })).toEqual([]);
  });

  test('lists first what somebody has to look at', () => {
    const states = ['in_sync', 'pending', 'reverted', 'on_trial', 'overridden'] as const;
    const sorted = states.toSorted((a, b) => rankOf(a) - rankOf(b));
    expect(sorted).toEqual(['reverted', 'overridden', 'on_trial', 'pending', 'in_sync']);
  });
});
