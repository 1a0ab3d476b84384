import { expect, test } from 'vitest';
import { EventKind } from '../../../contract/src/index.ts';
import { usualFamilies } from './events-command.ts';

test('all families of events are shown but that of devices', () => {
  const families = new Set((EventKind as unknown as { enum: string[] }).enum.map((kind) => kind.split('.')[0]));
  families.delete('device');
  expect([...families].sort()).toEqual(usualFamilies);
});
