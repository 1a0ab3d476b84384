// The health of the network, in one word and with its causes.

import { AlarmSeverity, HealthWord } from '../core/fleet.ts';
import * as Type from '../core/schema/schema.ts';

export const ServiceLevelName = Type.Enum(['availability', 'coverage', 'capacity', 'latency', 'handover', 'energy'], {
  title: 'ServiceLevelName',
});
export type ServiceLevelName = Type.Static<typeof ServiceLevelName>;

export const ServiceLevel = Type.Named('ServiceLevel', {
  level: ServiceLevelName,
  good_minutes: Type.Integer({ description: 'Minutes in which users were served well.' }),
  minutes: Type.Integer({ description: 'Minutes that were counted.' }),
  goal: Type.Number({ description: 'The share of good minutes below which it is a cause.' }),
});
export type ServiceLevel = Type.Static<typeof ServiceLevel>;

const Causes = Type.Array(Type.String(), { description: 'In words, the worst first; at most five.' });
const Word = { health: HealthWord, causes: Causes };
const BySeverity = Type.Object(
  { critical: Type.Integer(), major: Type.Integer(), minor: Type.Integer(), warning: Type.Integer() },
  { description: 'Active alarms that are not silenced or shelved, and not caused by another one.' },
);
const Counts = Type.Object({
  good: Type.Integer(),
  degraded: Type.Integer(),
  bad: Type.Integer(),
  unknown: Type.Integer(),
});

export const AgentHealth = Type.Named('AgentHealth', {
  ap_id: Type.String(),
  display_name: Type.OrNull(Type.String()),
  site: Type.OrNull(Type.String()),
  ...Word,
  alarms: Type.Integer({ description: 'Alarms that are not cleared.' }),
  devices_affected: Type.Integer({
    description: 'Devices that lost service because of it, in incidents that are open.',
  }),
  severity: Type.OrNull(AlarmSeverity, { description: 'Of the worst of them.' }),
});
export type AgentHealth = Type.Static<typeof AgentHealth>;

export const AgentHealthReport = Type.Named('AgentHealthReport', {
  ...AgentHealth.properties,
  window_minutes: Type.Integer(),
  service: Type.Array(ServiceLevel, {
    description: 'Those that it reports about; the window ends now.',
  }),
});
export type AgentHealthReport = Type.Static<typeof AgentHealthReport>;

export const SiteHealth = Type.Object(
  {
    path: Type.String(),
    name: Type.String(),
    ...Word,
    access_points: Counts,
    alarms: BySeverity,
  },
  { title: 'SiteHealth', description: 'Of the site and what is below it.' },
);
export type SiteHealth = Type.Static<typeof SiteHealth>;

export const NetworkHealth = Type.Named('NetworkHealth', {
  ...Word,
  access_points: Counts,
  alarms: BySeverity,
  unacknowledged: Type.Integer({
    description: 'Of these alarms, those that nobody has acknowledged.',
  }),
  worst: Type.Array(AgentHealth, {
    description: 'At most ten that are not good: first those of which most devices lost service, then the worst.',
  }),
  sites: Type.Array(SiteHealth, { description: 'At most 100, the worst first.' }),
});
export type NetworkHealth = Type.Static<typeof NetworkHealth>;

const Figure = (description: string) =>
  Type.Object(
    {
      now: Type.OrNull(Type.Number(), { description: 'Null if nobody says.' }),
      day: Type.Array(Type.OrNull(Type.Number()), {
        description:
          'Means of half hours, oldest first: the first is that of yesterday at this time, the last has begun.',
      }),
    },
    { description },
  );

export const NetworkFigures = Type.Named('NetworkFigures', {
  at: Type.Timestamp,
  step_seconds: Type.Integer(),
  access_points: Type.Integer({ description: 'How many it is about.' }),
  read: Type.Integer({ description: 'Whose last day was read; of many, a part stands for all.' }),
  served_devices: Figure('Devices that are served; where an access point does not say, that are connected.'),
  within_budget_pct: Figure('The share of devices whose data comes within the delay budget, by `qos_met_pct`.'),
  throughput_mbps: Figure('In Mb/s, of all together.'),
  power_w: Figure('In watts, of all together.'),
  availability_pct: Figure('The share of access points that report; of the past, in steps of five minutes.'),
});
export type NetworkFigures = Type.Static<typeof NetworkFigures>;

export const WeftVersion = Type.Named('WeftVersion', {
  version: Type.String({ description: 'Semantic: what changed is in CHANGELOG.md.' }),
  commit: Type.OrNull(Type.String(), { description: 'What it was built of. Null if it runs from its sources.' }),
});
export type WeftVersion = Type.Static<typeof WeftVersion>;
