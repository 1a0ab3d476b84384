// The guard of a command: a metric and a limit; if it leaves the limit after the command, Weft puts the old value back. One that
// fits what the access point reports now is offered.
import { defaultParameter } from '@weft/contract/declared-commands';
import { isObject } from '@weft/contract/is-object';
import { Button } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { metricWords } from '../../../data/metrics.ts';
import { formatValue } from '../../../format.ts';
import type { CommandFormState } from './command-fields.tsx';
import type { KnownValues } from './declared-commands.ts';

const text = {
  guard: 'Guard: go back by itself if it gets worse',
  above: 'above',
  below: 'below',
  guardScopes: { '': 'itself', neighbours: 'neighbours' },
};

export interface Guard {
  metric: string;
  comparison: '<' | '>';
  limit: number;
  /** Of the access points around it, because it serves no devices itself afterwards. */
  isOfNeighbours: boolean;
}

/** Above this a channel is noisy: a command there should make it better. */
const noisyDbm = -85;
const freshMs = 60_000;
/** The first value beyond a limit breaks it: latency may be so many times what it is, and so much in any case. */
const worse = 5;
const leastMs = 200;

/** By what it reports now: noise that has to fall, else latency, else devices of which half may leave. */
export function suggestGuard(command: string, { latest = {} }: Pick<KnownValues, 'latest'>): Guard | undefined {
  const samples = Object.entries(latest).flatMap(([name, sample]) =>
    isObject(sample) && typeof sample.value === 'number'
      ? [{ name, at: Date.parse(String(sample.ts)), value: sample.value }]
      : [],
  );
  const newest = Math.max(...samples.map(({ at }) => at));
  const now = (name: string) => samples.find((each) => each.name === name && each.at > newest - freshMs)?.value;
  const isOfNeighbours = defaultParameter(command) === 'power_state';
  const latency = now('latency_ms');
  const most = latency === undefined ? undefined : Math.ceil(Math.max(worse * latency, leastMs));
  if (isOfNeighbours) {
    return most === undefined ? undefined : { metric: 'latency_ms', comparison: '<', limit: most, isOfNeighbours };
  }
  const noise = now('noise_floor_dbm');
  if (noise !== undefined && noise > noisyDbm) {
    return { metric: 'noise_floor_dbm', comparison: '<', limit: Math.floor(noise) - 3, isOfNeighbours };
  }
  if (most !== undefined) return { metric: 'latency_ms', comparison: '<', limit: most, isOfNeighbours };
  const devices = now('connected_devices') ?? 0;
  if (devices < 2) return undefined;
  return { metric: 'connected_devices', comparison: '>', limit: Math.floor(devices / 2) - 1, isOfNeighbours };
}

/** `latency stays below 44 ms at its neighbours`. */
export function guardInWords({ metric, comparison, limit, isOfNeighbours }: Guard, configuration = {}): string {
  const { label, unit } = metricWords(configuration, metric);
  const words = `${label.toLowerCase()} stays ${comparison === '<' ? text.below : text.above} ${formatValue(limit, unit)}`;
  return isOfNeighbours ? `${words} at its neighbours` : words;
}

/** What the fields say, as `send_command` takes it; undefined if they are empty. */
export function guardOf(values: Readonly<Record<string, string>>): string | undefined {
  const metric = values.guard_metric?.trim();
  if (!metric) return undefined;
  const comparison = values.guard_comparison ?? '>';
  const limit = (values.guard_limit ?? '').trim();
  if (values.guard_scope !== 'neighbours') return `${metric}${comparison}${limit}`;
  return JSON.stringify({ selector: 'neighbours', metric, op: comparison, value: Number(limit) });
}

/** What the fields hold; without a guard, nothing. One that is offered is left out where it could not be kept. */
export function guardValues(guard: Guard | undefined): Record<string, string> {
  return {
    guard_metric: guard?.metric ?? '',
    guard_comparison: guard?.comparison ?? '>',
    guard_limit: guard === undefined ? '' : String(guard.limit),
    guard_scope: guard?.isOfNeighbours ? 'neighbours' : '',
    guard_offered: guard === undefined ? '' : 'true',
  };
}

interface GuardFieldsProps {
  form: CommandFormState;
  /** The one that gets the command. */
  target: KnownValues;
}

export function GuardFields({ form, target }: GuardFieldsProps) {
  const { name = '', guard_metric = '', guard_comparison, guard_limit, guard_scope } = form.values.value;
  const guard: Guard = {
    metric: guard_metric.trim(),
    comparison: guard_comparison === '<' ? '<' : '>',
    limit: Number(guard_limit),
    isOfNeighbours: guard_scope === 'neighbours',
  };
  const words =
    guard.metric === '' ? text.guard : `Guard: goes back unless ${guardInWords(guard, target.configuration)}`;
  const isWrong = ['guard_metric', 'guard_limit'].some((field) => form.problems.value[field] !== undefined);
  const suggested = name === '' ? undefined : suggestGuard(name, target);
  const use = (wanted: Guard) => {
    const { guard_offered: _isTaken, ...values } = guardValues(wanted);
    for (const [field, value] of Object.entries(values)) form.set(field, value);
  };
  return (
    <details class="more-options" open={isWrong || undefined}>
      <summary>{words}</summary>
      <fieldset class="bare-fieldset stack">
        <legend class="visually-hidden">{text.guard}</legend>
        <p class="soft small">If the metric leaves this limit after the command, Weft restores the old value.</p>
        {suggested && (
          <div>
            <Button size="small" onClick={() => use(suggested)}>
              {`Use: ${guardInWords(suggested, target.configuration)}`}
            </Button>
          </div>
        )}
        <div class="guard-fields">
          <TextField {...form.at('guard_metric')} label="Metric" placeholder="rsrp_dbm" isMono />
          <SelectField
            {...form.at('guard_comparison')}
            label="Must stay"
            options={{ '>': text.above, '<': text.below }}
          />
          <TextField {...form.at('guard_limit')} label="Limit" inputMode="decimal" />
          <SelectField {...form.at('guard_scope')} label="Of" options={text.guardScopes} />
        </div>
      </fieldset>
    </details>
  );
}
