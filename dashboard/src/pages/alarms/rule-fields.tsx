// The fields of an alarm rule: those of its kind of condition, and what every rule has.
import { useId } from 'preact/hooks';
import { Field, SelectField, TextField } from '../../components/forms/fields.tsx';
import type { FormState } from '../../components/forms/form.tsx';
import { SelectorField } from '../../components/forms/selector-field.tsx';
import { severities } from '../../components/severity.tsx';
import { useMetricNames } from '../../data/metric-names.ts';
import { alarmsText } from '../../text/alarms.ts';
import { componentText } from '../../text/components.ts';
import { type ConditionKind, conditionKinds, type RuleValues } from './rule-form.ts';

const text = alarmsText.rule;
const optionsOf = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }));
const { asleep: _asleep, ...agentStates } = componentText.states;

type FieldName = keyof RuleValues;
type FieldsProps = { form: FormState<RuleValues> };

export function RuleFields({ form }: FieldsProps) {
  const kind = form.values.value.kind as ConditionKind;
  const hasLimit = kind === 'limit' || kind === 'compare' || kind === 'weft' || kind === 'share';
  return (
    <>
      <TextField form={form} name="name" label={text.name} hint={text.nameHint} />
      <SelectorField form={form} name="selector" label={text.selector} />
      <SelectField
        form={form}
        name="kind"
        label={text.kind}
        options={conditionKinds.map((value) => ({ value, label: text.kinds[value] }))}
      />
      <div class="field-row">
        <ConditionFields form={form} kind={kind} />
      </div>
      <div class="field-row">
        <NumberField form={form} name="for_seconds" label={text.forSeconds} hint={text.forHint} />
        {hasLimit && <NumberField form={form} name="clear_value" label={text.clearValue} hint={text.clearHint} />}
        <NumberField form={form} name="clear_for_seconds" label={text.clearFor} hint={text.clearForHint} />
      </div>
      <div class="field-row">
        <SelectField
          form={form}
          name="severity"
          label={text.severity}
          options={severities.map((value) => ({ value, label: componentText.severities[value] }))}
        />
        <SelectField form={form} name="when_asleep" label={text.asleep} options={optionsOf(text.asleepWords)} />
        <SelectField form={form} name="enabled" label={text.enabled} options={optionsOf(text.enabledWords)} />
      </div>
      <TextField form={form} name="message" label={text.message} hint={text.messageHint} isOptional />
    </>
  );
}

function ConditionFields({ form, kind }: FieldsProps & { kind: ConditionKind }) {
  const op = <SelectField form={form} name="op" label={text.op} options={optionsOf(text.ops)} />;
  const within = <NumberField form={form} name="within_seconds" label={text.withinSeconds} />;
  const state = <SelectField form={form} name="state" label={text.agentState} options={optionsOf(agentStates)} />;
  const fields: Record<ConditionKind, preact.ComponentChildren> = {
    limit: (
      <>
        <MetricField form={form} name="metric" label={text.metric} />
        {op}
        <NumberField form={form} name="value" label={text.value} />
        <NumberField form={form} name="over_seconds" label={text.overSeconds} hint={text.overHint} />
      </>
    ),
    change: (
      <>
        <MetricField form={form} name="metric" label={text.metric} />
        <SelectField form={form} name="change" label={text.change} options={optionsOf(text.changes)} />
        <NumberField form={form} name="value" label={text.changeValue} />
        {within}
      </>
    ),
    compare: (
      <>
        <MetricField form={form} name="metric" label={text.metric} />
        {op}
        <NumberField form={form} name="times" label={text.times} />
        <MetricField form={form} name="other_metric" label={text.otherMetric} />
        <NumberField form={form} name="value" label={text.plus} />
      </>
    ),
    absent: <NumberField form={form} name="absent_seconds" label={text.absentSeconds} />,
    state,
    flapping: (
      <>
        <NumberField form={form} name="state_changes" label={text.stateChanges} />
        {within}
      </>
    ),
    share: (
      <>
        {state}
        <NumberField form={form} name="share" label={text.share} />
        <NumberField form={form} name="at_least" label={text.atLeast} hint={text.atLeastHint} />
      </>
    ),
    weft: (
      <>
        <TextField form={form} name="weft" label={text.weft} isMono />
        {op}
        <NumberField form={form} name="value" label={text.value} />
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

function MetricField({ form, name, label }: FieldsProps & { name: FieldName; label: string }) {
  const names = useMetricNames();
  const id = useId();
  return (
    <Field form={form} name={name} label={label}>
      {(attributes) => (
        <>
          <input
            class="input mono"
            list={`${id}-metrics`}
            spellcheck={false}
            autoCapitalize="none"
            autoComplete="off"
            value={form.values.value[name]}
            onInput={(event) => form.set(name, event.currentTarget.value)}
            {...attributes}
          />
          <datalist id={`${id}-metrics`}>
            {names.map(([metric, words]) => (
              <option key={metric} value={metric}>
                {words}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
