// Which rule is to find which fault, and from what size on.
import type { PlannedFault } from './fault-plan.ts';
import type { Expectation } from './judge.ts';

const atLeast = (seconds: number, size: (size: number) => boolean) => (fault: PlannedFault) =>
  fault.seconds >= seconds && size(fault.size);
const any = () => true;
/** Jammers of this power or more, for so many minutes. */
const findsJammers = (rule: string, dbm: number, minutes: number, where = ''): Expectation => ({
  rule,
  cause: 'jammer',
  matters: atLeast(60 * minutes, (power) => power >= dbm),
  line: `jammers from ${dbm} dBm on,${where} for ${minutes} minutes`,
  isHeardAround: true,
});

export const expectations: Expectation[] = [
  { rule: 'offline', cause: 'outage', matters: atLeast(75, any), line: 'outages from 75 s on' },
  {
    rule: 'clock_skew',
    cause: 'clock ahead',
    matters: atLeast(60, (seconds) => seconds >= 10),
    line: 'clocks that are 10 s ahead or more',
  },
  {
    rule: 'nr_sinr',
    cause: 'low power',
    matters: atLeast(300, (dbm) => dbm <= 14),
    line: '14 dBm or less (of 33), for 5 minutes',
  },
  { rule: 'nr_load', cause: undefined },
  {
    rule: 'nr_latency',
    cause: 'few blocks',
    matters: atLeast(300, (pct) => pct <= 5),
    line: '5 % of the blocks or fewer, for 5 minutes',
  },
  { rule: 'handover_failures', cause: undefined },
  findsJammers('wifi_noise', 10, 2, ' 8 m away,'),
  findsJammers('wifi_utilisation', 15, 6),
  findsJammers('wifi_retries', 25, 4),
  { ...findsJammers('wifi_unserved', 35, 4), also: ['outage'] },
  { rule: 'lifi_blockage', cause: undefined },
  {
    rule: 'lifi_illuminance',
    cause: 'dimmed',
    matters: atLeast(180, (pct) => pct <= 25),
    line: 'a quarter of the light or less',
  },
  { rule: 'energy_5g', cause: undefined },
  { rule: 'energy_wifi', cause: undefined },
];
