// The conflict rules in force, as they were stored by whichever version.
import { expect, test } from 'vitest';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { defaultConflictRules } from '../arbitration/parameter-groups.ts';
import { RulesKeeper } from './rules-keeper.ts';

test('rules that say nothing of a technology keep what they say of the others', async () => {
  const stored = { ...defaultConflictRules, interference_range_m: { '5G': 700, WiFi: 50 } };
  const store = { newRules: async () => ({ version: 3, rules: stored }), putRules: async () => {} };
  const keeper = new RulesKeeper(store, () => {});
  await keeper.refresh({} as SqlQueries);
  expect(keeper.current.interference_range_m).toMatchObject({ '5G': 700, WiFi: 50, LiFi: 8 });
});
