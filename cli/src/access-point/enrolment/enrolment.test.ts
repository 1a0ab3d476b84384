// From a table of access points to lines that a shell understands.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAccessPointList } from './access-point-list.ts';

test('columns beside ap_id become configuration; empty cells mean nothing', async () => {
  const text = 'site,ap_id,floor,latitude,longitude\nBristol,roof-1,2,51.45,-2.58\n,roof-2,,,\n';
  expect(await readAccessPointList([text])).toEqual([
    {
      ap_id: 'roof-1',
      assignments: ['site=Bristol', 'floor=2', 'geolocation.latitude=51.45', 'geolocation.longitude=-2.58'],
    },
    { ap_id: 'roof-2', assignments: [] },
  ]);
});

test('everything that is wrong is told at once, with its line', async () => {
  const text = 'ap_id,site,metrics,my site\nroof-1,a,,\nroof-*,b,,\n,c,,\nroof-1,d,,\nroof-2\n"roof-3,e';
  const error = await readAccessPointList([text]).catch((problem) => problem);
  expect(error.problems).toEqual([
    'line 1: metrics is set by the agent itself',
    'line 1: "my site" is not a valid name: use letters, digits, hyphens and underscores',
    'line 3: "roof-*" is not a valid access point name: letters and digits of any script, . _ : @ + - and single spaces inside; not beginning with -; at most 128 characters',
    'line 4: ap_id is empty',
    'line 5: roof-1 is already in line 2',
    'line 6: 1 cells instead of 4',
    'line 7: a quote is not closed',
  ]);
  await expect(readAccessPointList(['name\nx\n'])).rejects.toThrow('line 1: there is no column ap_id');
  await expect(readAccessPointList(['ap_id;site\n'])).rejects.toThrow('semicolons');
  await expect(readAccessPointList(['ap_id\n'])).rejects.toThrow('there is no access point');
});

test('a configuration that Weft would not understand is told at once, with its line, and nothing is read', async () => {
  const text = `ap_id,latitude,longitude,note\nroof-1,999,0,\nroof-2,51.4,,\nroof-3,51.4,-2.5,\nroof-4,,,${'x'.repeat(70_000)}\nroof-5,north,-181,\n`;
  const error = await readAccessPointList([text]).catch((problem) => problem);
  const place = 'geolocation needs a latitude from -90 to 90 and a longitude from -180 to 180';
  expect(error.problems).toEqual([
    `line 2: ${place}`,
    `line 3: ${place}`,
    'line 5: the configuration has more than 65536 bytes as JSON',
    `line 6: ${place}`,
  ]);
  // Half of a place may stand on the command line.
  const common = ['geolocation.latitude=51.4'];
  await expect(readAccessPointList(['ap_id,longitude\nroof-1,999\n'], common)).rejects.toThrow(`line 2: ${place}`);
  expect(await readAccessPointList(['ap_id,longitude\nroof-1,-2.5\n'], common)).toHaveLength(1);
});

test('whatever is accepted is a place for Weft, and whatever is in range is accepted', async () => {
  const degrees = fc.oneof(fc.double({ min: -400, max: 400, noNaN: true }), fc.constantFrom(90, -90, 180, -180, 90.1));
  await fc.assert(
    fc.asyncProperty(degrees, degrees, async (latitude, longitude) => {
      const isAccepted = await readAccessPointList([`ap_id,latitude,longitude\nx,${latitude},${longitude}\n`]).then(
        () => true,
        () => false,
      );
      expect(isAccepted).toBe(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180);
    }),
  );
});
