// The rules as a form; what the server says against them stands beside the field it is about.

import { technologyNames } from '@weft/contract/technologies';
import { useState } from 'preact/hooks';
import { type ConflictRules, call, type ParameterGroup } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, type FormState, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { technologyChoices } from '../../../data/agents.ts';
import { queries } from '../../../data/use-operation.ts';
import { partsOf, typedNumber } from '../../../format.ts';
import { useUnsaved } from '../../../router/leaving.ts';
import { conflictsText } from '../../../text/pages.ts';

const addGroup = 'Add a group';
const windowSeconds = 'Time window, seconds';

export type RulesValues = Record<string, string>;

const groupFields = [
  'name',
  'technology',
  'parameters',
  'scope',
  'policy',
  'merge',
  'loser',
  'hold_s',
  'min_interval_ms',
];
const numbers = {
  interference_range_m: technologyNames,
  oscillation: ['reversals', 'window_s', 'freeze_s'],
  blast_radius: ['fraction', 'minimum', 'window_s'],
} as const;

export function toRulesValues(rules: ConflictRules): RulesValues {
  const values: RulesValues = {};
  for (const [index, group] of rules.groups.entries()) Object.assign(values, groupValues(group, index));
  for (const [part, keys] of Object.entries(numbers) as [keyof typeof numbers, readonly string[]][]) {
    for (const key of keys) values[`${part}.${key}`] = String((rules[part] as Record<string, number>)[key]);
  }
  return values;
}

export function toRules(values: RulesValues): ConflictRules {
  const groups = Array.from({ length: groupCount(values) }, (_, index) => toGroup(values, index));
  const parts = Object.entries(numbers).map(([part, keys]) => [
    part,
    Object.fromEntries(keys.map((key) => [key, typedNumber(values[`${part}.${key}`] ?? '')])),
  ]);
  return { groups, ...Object.fromEntries(parts) } as ConflictRules;
}

export function groupCount(values: RulesValues): number {
  let count = 0;
  while (values[`groups.${count}.name`] !== undefined) count++;
  return count;
}

export function withGroup(values: RulesValues): RulesValues {
  const fresh: ParameterGroup = { name: '', technology: null, parameters: [], policy: 'priority' };
  return { ...values, ...groupValues(fresh, groupCount(values)) };
}

/** The groups behind it move up. */
export function withoutGroup(values: RulesValues, removed: number): RulesValues {
  const count = groupCount(values);
  const next: RulesValues = {};
  for (const [name, value] of Object.entries(values)) {
    if (!name.startsWith('groups.')) next[name] = value;
  }
  for (let index = 0, place = 0; index < count; index++) {
    if (index === removed) continue;
    for (const field of groupFields) next[`groups.${place}.${field}`] = values[`groups.${index}.${field}`] ?? '';
    place++;
  }
  return next;
}

function groupValues(group: ParameterGroup, index: number): RulesValues {
  const { name, technology, parameters, scope, policy, merge, loser, hold_s, min_interval_ms } = group;
  const texts: Record<string, string> = {
    name,
    technology: technology ?? '',
    parameters: parameters.join(', '),
    scope: scope ?? 'agent',
    policy,
    merge: merge ?? '',
    loser: loser ?? 'reject',
    hold_s: String(hold_s ?? 30),
    min_interval_ms: String(min_interval_ms ?? 1000),
  };
  return Object.fromEntries(Object.entries(texts).map(([field, value]) => [`groups.${index}.${field}`, value]));
}

function toGroup(values: RulesValues, index: number): ParameterGroup {
  const at = (field: string) => values[`groups.${index}.${field}`] ?? '';
  const isMerging = at('policy') === 'merge';
  return {
    name: at('name').trim(),
    technology: at('technology') === '' ? null : at('technology'),
    parameters: partsOf(at('parameters'), /[,\n]/),
    scope: at('scope'),
    policy: at('policy'),
    ...(isMerging && at('merge') !== '' && { merge: at('merge') }),
    loser: at('loser'),
    hold_s: typedNumber(at('hold_s')),
    min_interval_ms: typedNumber(at('min_interval_ms')),
  } as ParameterGroup;
}

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
      <SubmitButton form={form}>{conflictsText.rules.save}</SubmitButton>
      <Button kind="quiet" onClick={onClose} words="Cancel" />
    </div>
  );
  return (
    <Form
      form={form}
      label={conflictsText.rules.edit}
      onSubmit={async (values) => {
        await call('update_conflict_rules', { json: toRules(values) });
        queries.refresh('get_conflict_rules');
        showToast({ title: conflictsText.rules.saved });
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
        <Button icon="plus" onClick={() => replace(withGroup(form.values.peek()))} words={addGroup} />
      </div>
      <Numbers
        form={form}
        title={conflictsText.rules.range}
        fields={technologyNames.map((name) => [`interference_range_m.${name}`, `${name}, metres`])}
      />
      <Numbers
        form={form}
        title={conflictsText.rules.oscillation}
        fields={[
          ['oscillation.reversals', 'Changes back to the previous value'],
          ['oscillation.window_s', windowSeconds],
          ['oscillation.freeze_s', 'Freeze duration, seconds'],
        ]}
      />
      <Numbers
        form={form}
        title={conflictsText.rules.blast}
        fields={[
          ['blast_radius.fraction', 'Share of a site, 0 to 1'],
          ['blast_radius.minimum', 'Minimum number per site'],
          ['blast_radius.window_s', windowSeconds],
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
        <TextField key={name} {...form.at(name)} label={label} inputMode="decimal" />
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
      <legend>{name || addGroup}</legend>
      <TextField {...form.at(at('name'))} label="Name" isMono />
      <SelectField {...form.at(at('technology'))} label="Type" options={{ '': 'Any type', ...technologyChoices }} />
      <div class="rules-wide">
        <TextField
          {...form.at(at('parameters'))}
          label={conflictsText.rules.columns.parameters}
          hint="Separated by commas"
          isMono
        />
      </div>
      <SelectField
        {...form.at(at('policy'))}
        label={conflictsText.rules.columns.policy}
        options={conflictsText.rules.policies}
      />
      {isMerging && (
        <SelectField
          {...form.at(at('merge'))}
          label="Merge method"
          options={{ '': 'Choose a method', ...conflictsText.rules.merges }}
        />
      )}
      <SelectField
        {...form.at(at('scope'))}
        label={conflictsText.rules.columns.scope}
        options={conflictsText.rules.scopes}
      />
      <SelectField
        {...form.at(at('loser'))}
        label={conflictsText.rules.columns.loser}
        options={conflictsText.rules.losers}
      />
      <TextField {...form.at(at('hold_s'))} label="Lease duration, seconds" inputMode="decimal" />
      <TextField {...form.at(at('min_interval_ms'))} label="Minimum interval, ms" inputMode="numeric" />
      <div class="rules-remove">
        <Button kind="danger" size="small" aria-label={`Remove ${name || 'this group'}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
