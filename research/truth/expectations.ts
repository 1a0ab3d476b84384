// Which rule is to find which fault, and from what size on.
import type { PlannedFault } from './fault-plan.ts';
import type { Expectation } from './judge.ts';

const atLeast = (seconds: number, size: (size: number) => boolean) => (fault: PlannedFault) =>
  fault.seconds >= seconds && size(fault.size);
const any = () => true;

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
  {
    rule: 'wifi_noise',
    cause: 'jammer',
    matters: atLeast(120, (dbm) => dbm >= 10),
    line: 'jammers from 10 dBm on, 8 m away, for 2 minutes',
    isHeardAround: true,
  },
  {
    rule: 'wifi_utilisation',
    cause: 'jammer',
    matters: atLeast(360, (dbm) => dbm >= 15),
    line: 'jammers from 15 dBm on, for 6 minutes',
    isHeardAround: true,
  },
  {
    rule: 'wifi_retries',
    cause: 'jammer',
    matters: atLeast(240, (dbm) => dbm >= 25),
    line: 'jammers from 25 dBm on, for 4 minutes',
    isHeardAround: true,
  },
  {
    rule: 'wifi_unserved',
    cause: 'jammer',
    matters: atLeast(240, (dbm) => dbm >= 35),
    line: 'jammers from 35 dBm on, for 4 minutes',
    also: ['outage'],
    isHeardAround: true,
  },
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
