import { expect, test } from 'vitest';
import { readStandby } from './standby-setting.ts';

test('standbys take reads if the address says so; the rest of it stays as it is', () => {
  expect(readStandby('postgres://u@a,b/x')).toEqual({ url: 'postgres://u@a,b/x', maxBehindMs: undefined });
  expect(readStandby('postgres://u@a,b/x?standby')).toEqual({ url: 'postgres://u@a,b/x', maxBehindMs: 5_000 });
  expect(readStandby('postgres://u@a,b/x?sslmode=require&standby=30&options=-c%20a')).toEqual({
    url: 'postgres://u@a,b/x?sslmode=require&options=-c%20a',
    maxBehindMs: 30_000,
  });
  for (const wrong of ['0', '3601', '-1', '1.5', 'soon']) {
    expect(() => readStandby(`postgres://u@a,b/x?standby=${wrong}`)).toThrow('must be seconds from 1 to 3600');
  }
});
