// 200 kills of the real agent process, at every step from the settings' arrival to their confirmation, some of them with the power.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killRound } from '../../../../test/kill-round.ts';
import { SettableAccessPoint } from '../../../../test/settable-access-point.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let ap: SettableAccessPoint;
beforeAll(async () => {
  weft = await startWeft();
  ap = await SettableAccessPoint.start(weft, 'killed-1');
  await ap.ok('PUT', '/config/secrets', { name: 'psk', value: 'correct horse' });
});
afterAll(async () => {
  await ap?.stop();
  await weft.stop();
});

const times = (event: string, most: number) =>
  Array.from({ length: most }, (_, index) => ({ event, times: index + 1 }));
const steps = [
  ...times('iw reg get', 8),
  ...times('hostapd_cli -i wlan0 status', 12),
  ...times('iw dev', 10),
  ...times('hostapd_cli -i wlan0 chan_switch', 1),
  ...times('SIGHUP', 1),
];
const seen = new Map<string, number>();

test.each([0, 50, 100, 150])(
  'the access point runs old settings or confirmed ones, and Weft says which: from kill %i',
  async (first) => {
    for (let round = first; round < first + 50; round++) {
      const { step, end } = await killRound(ap, steps[round % steps.length]!, { isPowerCut: round % 3 === 0 });
      const what = `${step} → ${end}`;
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
  },
);

test('each step was among them', () => {
  const told = [...seen].map(([what, count]) => `${count} × ${what}`).join('\n');
  process.stdout.write(`${told}\n`);
  for (const step of [/sent, no journal/, /sent, journal/, /(on_trial|confirmed), journal/, /in_sync$/m, /reverted$/m])
    expect(told).toMatch(step);
});
