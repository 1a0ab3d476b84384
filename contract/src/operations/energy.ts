// Energy: what access points have drawn, and on emulated networks what it would have been without commands about sleep and power.
import * as Type from '../core/schema/schema.ts';

const NameOrNone = Type.OrNull(Type.String());

const amount = {
  kwh: Type.Number(),
  cost: Type.Number({ description: 'By `price_per_kwh`.' }),
  co2_kg: Type.Number({ description: 'By `co2_g_per_kwh`.' }),
};
const Amount = Type.Object(amount);

export const EnergyUse = Type.Named('EnergyUse', {
  name: NameOrNone,
  access_points: Type.Integer({ description: 'Those that reported their power.' }),
  ...amount,
  measured_hours: Type.Number({ description: 'Of all of them together, in which their power is known.' }),
  missing_hours: Type.Number({ description: 'In which nothing was reported: they are not in `kwh`.' }),
});
export type EnergyUse = Type.Static<typeof EnergyUse>;

const rates = {
  currency: Type.String(),
  price_per_kwh: Type.Number(),
  co2_g_per_kwh: Type.Number(),
};

export const Energy = Type.Named('Energy', {
  start: Type.Timestamp,
  end: Type.Timestamp,
  ...rates,
  resolution_seconds: Type.OrNull(Type.Integer(), {
    description: 'Gaps shorter than this are not seen; null where every sample was read.',
  }),
  total: EnergyUse,
  unmeasured: Type.Integer({ description: 'Access points that reported no `power_w` in this time.' }),
  kinds: Type.Array(EnergyUse, { description: '`real` and `emulated` access points.' }),
  sites: Type.Array(EnergyUse, { description: 'Most first; null: in no site.' }),
  technologies: Type.Array(EnergyUse),
  programs: Type.Array(
    Type.Object({ kind: NameOrNone, name: NameOrNone, commands: Type.Integer(), access_points: Type.Integer() }),
    {
      description:
        'Who has sent commands about sleep and power that succeeded. Names are for administrators and oneself; null: all others.',
    },
  ),
  bucket_seconds: Type.Integer(),
  times: Type.Array(Type.Timestamp, { description: 'When each bucket begins.' }),
  power_w: Type.Record(Type.String(), Type.Array(Type.OrNull(Type.Number())), {
    description: 'By technology, the mean of each bucket; null where nothing was measured.',
  }),
});
export type Energy = Type.Static<typeof Energy>;

export const EnergyRerunRequest = Type.Named('EnergyRerunRequest', {
  job_number: Type.String({ description: 'Of the emulated network, which must be running.' }),
  window: Type.Optional.String({
    format: 'time-window',
    maxLength: 40,
    description: 'Model time up to now, as minutes, `90m` or `24h`. Default: all of it.',
  }),
});
export type EnergyRerunRequest = Type.Static<typeof EnergyRerunRequest>;

const Saved = Type.Object({ name: NameOrNone, used: Amount, without: Amount, saved: Amount });
const Service = Type.Object({
  without_service_minutes: Type.Number({ description: 'Of all devices together.' }),
  within_delay_budget_pct: Type.OrNull(Type.Number(), {
    description: 'Of the time in which devices had something to receive.',
  }),
});

/** The result of a job of the type `energy`. */
export const EnergyRerun = Type.Named('EnergyRerun', {
  job_number: Type.String({ description: 'Of the emulated network.' }),
  start: Type.Timestamp,
  end: Type.Timestamp,
  limited_by: Type.Array(Type.Enum(['model_time', 'computing_time']), {
    description: 'Why it ends before the present: only the first hours of a network are run again, for a limited time.',
  }),
  ...rates,
  commands: Type.Integer({ description: 'About sleep and power, which were left out.' }),
  used: Amount,
  without: Amount,
  saved: Amount,
  sites: Type.Array(Saved),
  technologies: Type.Array(Saved),
  programs: Type.Array(Type.Object({ kind: NameOrNone, name: NameOrNone, commands: Type.Integer(), saved: Amount }), {
    description:
      'In the order in which they began: each was left out together with those before it, so that they add up. Null: all others.',
  }),
  service: Type.Object({ with: Service, without: Service }),
  bucket_seconds: Type.Integer(),
  power_w: Type.Object({ with: Type.Array(Type.Number()), without: Type.Array(Type.Number()) }),
});
export type EnergyRerun = Type.Static<typeof EnergyRerun>;
