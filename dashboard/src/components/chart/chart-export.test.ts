// What a chart shows, as a file.
import { expect, it } from 'vitest';
import { toCsv } from './chart-export.tsx';

it('CSV has all times once, empty cells where nothing was measured, and bands beside their means', () => {
  const lines = [
    { name: 'a', label: 'Down, "all"', times: [0, 60], values: [1, null] },
    { name: 'b', label: '=Up', times: [60], values: [2], lows: [1.5], highs: [3] },
  ];
  expect(toCsv('Mb/s', lines).split('\n')).toEqual([
    'time,"Down, ""all"" (Mb/s)",\'=Up (Mb/s),"\'=Up, lowest (Mb/s)","\'=Up, highest (Mb/s)"',
    '1970-01-01T00:00:00.000Z,1,,,',
    '1970-01-01T00:01:00.000Z,,2,1.5,3',
    '',
  ]);
});
