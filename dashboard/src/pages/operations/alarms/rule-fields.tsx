import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import type { FormState } from '../../../components/forms/form.tsx';
import { SelectorField } from '../../../components/forms/selector-input.tsx';
import { severities } from '../../../components/glyph.tsx';
import { useMetricNames } from '../../../data/metrics.ts';
import { componentText } from '../../../text/components.ts';
import { alarmsText } from '../../../text/pages.ts';
import { type ConditionKind, conditionKinds, type RuleValues } from './rule-form.ts';

const text = {
  metric: 'Metric',
  value: 'Limit',
};

const { asleep: _asleep, ...agentStates } = componentText.states;

type FieldName = keyof RuleValues;
type FieldsProps = { form: FormState<RuleValues> };

export function RuleFields({ form }: FieldsProps) {
  const kind = form.values.value.kind as ConditionKind;
  const hasLimit = kind === 'limit' || kind === 'compare' || kind === 'weft' || kind === 'share';
  return (
    <>
      <TextField {...form.at('name')} label="Name" hint="Such as: latency too high. Empty: made from the condition." />
      <SelectorField {...form.at('selector')} label="Which access points" />
      <SelectField
        {...form.at('kind')}
        label="Raise an alarm when"
        options={conditionKinds.map((value) => [value, alarmsText.rule.kinds[value]] as const)}
      />
      <div class="field-row">
        <ConditionFields form={form} kind={kind} />
      </div>
      <div class="field-row">
        <NumberField
          {...form.at('for_seconds')}
          label="For at least (seconds)"
          hint="How long it must hold; 0: at once."
        />
        {hasLimit && (
          <NumberField
            {...form.at('clear_value')}
            label="Clears at"
            hint="Beyond the limit, so that it does not come and go. Empty: the limit."
          />
        )}
        <NumberField {...form.at('clear_for_seconds')} label="Clears after (seconds)" hint="Empty: as for firing." />
      </div>
      <div class="field-row">
        <SelectField
          {...form.at('severity')}
          label="Severity"
          options={severities.map((value) => [value, componentText.severities[value]] as const)}
        />
        <SelectField
          {...form.at('when_asleep')}
          label="When it is asleep"
          options={{ ignore: 'no alarm', evaluate: 'alarm as usual' }}
        />
        <SelectField {...form.at('enabled')} label={alarmsText.rule.enabled} options={{ true: 'yes', false: 'no' }} />
      </div>
      <TextField
        {...form.at('message')}
        label="Message"
        hint="May hold {name}, {site}, {metric}, {value}, {limit}. Empty: made from the condition."
        isOptional
      />
    </>
  );
}

function ConditionFields({ form, kind }: FieldsProps & { kind: ConditionKind }) {
  const op = <SelectField {...form.at('op')} label="is" options={alarmsText.rule.ops} />;
  const within = <NumberField {...form.at('within_seconds')} label="Within seconds" />;
  const state = <SelectField {...form.at('state')} label="State" options={agentStates} />;
  const fields: Record<ConditionKind, preact.ComponentChildren> = {
    limit: (
      <>
        <MetricField {...form.at('metric')} label={text.metric} />
        {op}
        <NumberField {...form.at('value')} label={text.value} />
        <NumberField {...form.at('over_seconds')} label="Mean over seconds" hint="Empty: each value counts." />
      </>
    ),
    change: (
      <>
        <MetricField {...form.at('metric')} label={text.metric} />
        <SelectField {...form.at('change')} label="Direction" options={alarmsText.rule.changes} />
        <NumberField {...form.at('value')} label="By more than" />
        {within}
      </>
    ),
    compare: (
      <>
        <MetricField {...form.at('metric')} label={text.metric} />
        {op}
        <NumberField {...form.at('times')} label="times" />
        <MetricField {...form.at('other_metric')} label="Other metric" />
        <NumberField {...form.at('value')} label="plus" />
      </>
    ),
    absent: <NumberField {...form.at('absent_seconds')} label="Seconds without a report" />,
    state,
    flapping: (
      <>
        <NumberField {...form.at('state_changes')} label="At least this often" />
        {within}
      </>
    ),
    share: (
      <>
        {state}
        <NumberField {...form.at('share')} label="More than this share, in %" />
        <NumberField {...form.at('at_least')} label="Only sites with at least" hint="access points" />
      </>
    ),
    weft: (
      <>
        <TextField {...form.at('weft')} label="Reading" isMono />
        {op}
        <NumberField {...form.at('value')} label={text.value} />
      </>
    ),
  };
  return <>{fields[kind]}</>;
}

interface NumberFieldProps extends FieldsProps {
  name: FieldName;
  label: string;
  hint?: string;
}

function NumberField(props: NumberFieldProps) {
  return <TextField {...props} inputMode="decimal" />;
}

function MetricField(props: FieldsProps & { name: FieldName; label: string }) {
  return <TextField {...props} suggestions={useMetricNames()} isMono />;
}
