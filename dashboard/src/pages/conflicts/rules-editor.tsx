// The rules as a form; what the server says against them stands beside the field it is about.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { ConflictRules } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, type FormState, useForm } from '../../components/forms/form.tsx';
import { queries } from '../../data/use-operation.ts';
import { useUnsaved } from '../../router/leaving.ts';
import { conflictsText } from '../../text/conflicts.ts';
import { groupCount, type RulesValues, toRules, toRulesValues, withGroup, withoutGroup } from './rules-form.ts';

const text = conflictsText.rules;
type RulesForm = FormState<RulesValues>;

export function RulesEditor({ rules, onClose }: { rules: ConflictRules; onClose: () => void }) {
  const form = useForm<RulesValues>(toRulesValues(rules));
  const [before] = useState(() => JSON.stringify(toRulesValues(rules)));
  useUnsaved(JSON.stringify(form.values.value) !== before, isElsewhere);
  const replace = (next: RulesValues) => {
    form.values.value = next;
    // They named places that have moved.
    form.problems.value = {};
  };
  const count = groupCount(form.values.value);
  const actions = (
    <div class="cluster">
      <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
        {text.save}
      </Button>
      <Button kind="quiet" onClick={onClose}>
        {text.cancel}
      </Button>
    </div>
  );
  return (
    <Form
      form={form}
      label={text.edit}
      onSubmit={async (values) => {
        await call('update_conflict_rules', { json: toRules(values) });
        queries.refresh('get_conflict_rules');
        showToast({ title: text.saved });
        onClose();
      }}
    >
      {actions}
      {Array.from({ length: count }, (_, index) => (
        <GroupFields
          // Groups have no name of their own but their place while they are edited.
          key={index}
          form={form}
          index={index}
          onRemove={() => replace(withoutGroup(form.values.peek(), index))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => replace(withGroup(form.values.peek()))}>
          {text.addGroup}
        </Button>
      </div>
      <Numbers
        form={form}
        title={text.range}
        fields={(['5G', 'WiFi', 'LiFi'] as const).map((name) => [`interference_range_m.${name}`, text.metres(name)])}
      />
      <Numbers
        form={form}
        title={text.oscillation}
        fields={[
          ['oscillation.reversals', text.reversals],
          ['oscillation.window_s', text.windowSeconds],
          ['oscillation.freeze_s', text.freezeSeconds],
        ]}
      />
      <Numbers
        form={form}
        title={text.blast}
        fields={[
          ['blast_radius.fraction', text.fraction],
          ['blast_radius.minimum', text.minimum],
          ['blast_radius.window_s', text.windowSeconds],
        ]}
      />
      {actions}
    </Form>
  );
}

function isElsewhere({ pathname, searchParams }: URL): boolean {
  return pathname !== '/conflicts' || searchParams.get('view') !== 'rules';
}

function Numbers({ form, title, fields }: { form: RulesForm; title: string; fields: (readonly [string, string])[] }) {
  return (
    <fieldset class="card rules-group">
      <legend>{title}</legend>
      {fields.map(([name, label]) => (
        <TextField key={name} form={form} name={name} label={label} inputMode="decimal" />
      ))}
    </fieldset>
  );
}

function GroupFields({ form, index, onRemove }: { form: RulesForm; index: number; onRemove: () => void }) {
  const at = (field: string) => `groups.${index}.${field}`;
  const name = form.values.value[at('name')] ?? '';
  const isMerging = form.values.value[at('policy')] === 'merge';
  return (
    <fieldset class="card rules-group">
      <legend>{name || text.addGroup}</legend>
      <TextField form={form} name={at('name')} label={text.name} isMono />
      <SelectField
        form={form}
        name={at('technology')}
        label={text.technology}
        options={[
          { value: '', label: text.anyTechnology },
          ...['5G', 'WiFi', 'LiFi'].map((value) => ({ value, label: value })),
        ]}
      />
      <div class="rules-wide">
        <TextField
          form={form}
          name={at('parameters')}
          label={text.columns.parameters}
          hint={text.parametersHint}
          isMono
        />
      </div>
      <SelectField form={form} name={at('policy')} label={text.columns.policy} options={optionsOf(text.policies)} />
      {isMerging && (
        <SelectField
          form={form}
          name={at('merge')}
          label={text.merge}
          options={[{ value: '', label: text.noMerge }, ...optionsOf(text.merges)]}
        />
      )}
      <SelectField form={form} name={at('scope')} label={text.columns.scope} options={optionsOf(text.scopes)} />
      <SelectField form={form} name={at('loser')} label={text.columns.loser} options={optionsOf(text.losers)} />
      <TextField form={form} name={at('hold_s')} label={text.holdSeconds} inputMode="decimal" />
      <TextField form={form} name={at('min_interval_ms')} label={text.intervalMs} inputMode="numeric" />
      <div class="rules-remove">
        <Button kind="danger" size="small" aria-label={text.removeGroup(name)} onClick={onRemove}>
          {text.removeShort}
        </Button>
      </div>
    </fieldset>
  );
}

function optionsOf(words: Record<string, string>): { value: string; label: string }[] {
  return Object.entries(words).map(([value, label]) => ({ value, label }));
}
