import { SelectField, TextField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { SelectorField } from '../../components/forms/selector-input.tsx';
import { severities } from '../../components/glyph.tsx';
import { useMetricNames } from '../../data/metrics.ts';
import { alarmsText } from '../../text/alarms.ts';
import { componentText } from '../../text/components.ts';
import { type ConditionKind, conditionKinds, type RuleValues } from './rule-form.ts';

const text = alarmsText.rule;
const { asleep: _asleep, ...agentStates } = componentText.states;

type FieldName = keyof RuleValues;
type FieldsProps = { form: FormState<RuleValues> };

export function RuleFields({ form }: FieldsProps) {
  const kind = form.values.value.kind as ConditionKind;
  const hasLimit = kind === 'limit' || kind === 'compare' || kind === 'weft' || kind === 'share';
  return (
    <>
      <TextField {...form.at('name')} label={text.name} hint={text.nameHint} />
      <SelectorField {...form.at('selector')} label={text.selector} />
      <SelectField
        {...form.at('kind')}
        label={text.kind}
        options={conditionKinds.map((value) => [value, text.kinds[value]] as const)}
      />
      <div class="field-row">
        <ConditionFields form={form} kind={kind} />
      </div>
      <div class="field-row">
        <NumberField {...form.at('for_seconds')} label={text.forSeconds} hint={text.forHint} />
        {hasLimit && <NumberField {...form.at('clear_value')} label={text.clearValue} hint={text.clearHint} />}
        <NumberField {...form.at('clear_for_seconds')} label={text.clearFor} hint={text.clearForHint} />
      </div>
      <div class="field-row">
        <SelectField
          {...form.at('severity')}
          label={text.severity}
          options={severities.map((value) => [value, componentText.severities[value]] as const)}
        />
        <SelectField {...form.at('when_asleep')} label={text.asleep} options={text.asleepWords} />
        <SelectField {...form.at('enabled')} label={text.enabled} options={text.enabledWords} />
      </div>
      <TextField {...form.at('message')} label={text.message} hint={text.messageHint} isOptional />
    </>
  );
}

function ConditionFields({ form, kind }: FieldsProps & { kind: ConditionKind }) {
  const op = <SelectField {...form.at('op')} label={text.op} options={text.ops} />;
  const within = <NumberField {...form.at('within_seconds')} label={text.withinSeconds} />;
  const state = <SelectField {...form.at('state')} label={text.agentState} options={agentStates} />;
  const fields: Record<ConditionKind, preact.ComponentChildren> = {
    limit: (
      <>
        <MetricField {...form.at('metric')} label={text.metric} />
        {op}
        <NumberField {...form.at('value')} label={text.value} />
        <NumberField {...form.at('over_seconds')} label={text.overSeconds} hint={text.overHint} />
      </>
    ),
    change: (
      <>
        <MetricField {...form.at('metric')} label={text.metric} />
        <SelectField {...form.at('change')} label={text.change} options={text.changes} />
        <NumberField {...form.at('value')} label={text.changeValue} />
        {within}
      </>
    ),
    compare: (
      <>
        <MetricField {...form.at('metric')} label={text.metric} />
        {op}
        <NumberField {...form.at('times')} label={text.times} />
        <MetricField {...form.at('other_metric')} label={text.otherMetric} />
        <NumberField {...form.at('value')} label={text.plus} />
      </>
    ),
    absent: <NumberField {...form.at('absent_seconds')} label={text.absentSeconds} />,
    state,
    flapping: (
      <>
        <NumberField {...form.at('state_changes')} label={text.stateChanges} />
        {within}
      </>
    ),
    share: (
      <>
        {state}
        <NumberField {...form.at('share')} label={text.share} />
        <NumberField {...form.at('at_least')} label={text.atLeast} hint={text.atLeastHint} />
      </>
    ),
    weft: (
      <>
        <TextField {...form.at('weft')} label={text.weft} isMono />
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
