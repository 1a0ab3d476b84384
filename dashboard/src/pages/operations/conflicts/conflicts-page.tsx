// Where callers were in each other's way, and the rules by which it was settled.
import { technologyNames } from '@weft/contract/technologies';
import { Loading, showToast } from '../../../components/feedback.tsx';
import { SelectField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import { Card, PageViews, TableHead } from '../../../components/page.tsx';
import './conflicts-page.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ConflictRules, call, type ParameterGroup } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatNumber, formatSpan, formatValue } from '../../../format.ts';
import { type PageProps, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { conflictsText } from '../../../text/pages.ts';
import { ConflictLog } from './conflict-log.tsx';
import { RulesEditor } from './rules-editor.tsx';

const viewsText = { log: 'Log', rules: 'Rules' };

export function ConflictRulesView() {
  const { data: rules, failure } = useOperation('get_conflict_rules', {});
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <div class="rules-head">
        <p class="soft">
          Each parameter belongs to a group. A command takes the lease on its parameter for a time. If another caller
          requests a different value during this time, the policy of the group decides.
        </p>
        {session.value?.isAdmin ? (
          rules && !isEditing && <Button onClick={() => setEditing(true)}>{conflictsText.rules.edit}</Button>
        ) : (
          <span class="faint">Only administrators can change these rules.</span>
        )}
      </div>
      <Loading data={rules} failure={failure} again="get_conflict_rules" lines={10} />
      {rules && isEditing && <RulesEditor rules={rules} onClose={() => setEditing(false)} />}
      {rules && !isEditing && <RulesToRead rules={rules} />}
    </>
  );
}

function RulesToRead({ rules }: { rules: ConflictRules }) {
  const { oscillation, blast_radius, interference_range_m } = rules;
  const [rule] = useQueryState('rule');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="card rules-table" tabIndex={0} aria-label="Groups">
        <table>
          <TableHead titles={Object.values(conflictsText.rules.columns)} />
          <tbody>
            {rules.groups.map((group) => (
              <GroupRow key={group.name} {...{ group, rules }} isSought={group.name === rule} />
            ))}
          </tbody>
        </table>
      </section>
      <div class="rules-cards">
        <Card title={conflictsText.rules.range} look="">
          <p class="soft">
            Access points of one type within this distance are neighbours. Groups whose scope includes neighbours use
            it.
          </p>
          <ul class="rules-ranges">
            {technologyNames.map((technology) => (
              <li key={technology} class="chip">
                <Glyph technology={technology} />
                {technology} <strong>{formatValue(interference_range_m[technology], 'm')}</strong>
              </li>
            ))}
          </ul>
        </Card>
        <Card title={conflictsText.rules.oscillation} look="">
          <p class="soft">
            {oscillation.freeze_s === 0
              ? 'Parameters that change back and forth are never frozen.'
              : `A parameter that changes back to its previous value ${oscillation.reversals === 1 ? 'once' : oscillation.reversals === 2 ? 'twice' : `${oscillation.reversals} times`} within ${formatSpan(oscillation.window_s, 2)} is frozen for ${formatSpan(oscillation.freeze_s, 2)}.`}
          </p>
        </Card>
        <Card title={conflictsText.rules.blast} look="">
          <p class="soft">
            {`Within ${formatSpan(blast_radius.window_s, 2)}, an app may send commands to ${formatValue(blast_radius.fraction * 100, '%')} of the access points of a site, or to ${formatNumber(blast_radius.minimum)} if that is more.`}
          </p>
        </Card>
      </div>
    </>
  );
}

interface GroupProps {
  group: ParameterGroup;
  rules: ConflictRules;
}

/** Who came for one rule mostly wants another policy. */
function PolicyForm({ group, rules }: GroupProps) {
  const form = useForm<Pick<ParameterGroup, 'policy'>>({ policy: group.policy });
  const save = async (change: Pick<ParameterGroup, 'policy'>) => {
    const groups = rules.groups.map((each) => (each.name === group.name ? { ...each, ...change } : each));
    await call('update_conflict_rules', { json: { ...rules, groups } });
    queries.refresh('get_conflict_rules');
    showToast({ title: conflictsText.rules.saved });
  };
  return (
    <Form form={form} label={conflictsText.rules.edit} onSubmit={save}>
      <SelectField
        {...form.at('policy')}
        label={conflictsText.rules.columns.policy}
        options={conflictsText.rules.policies}
      />
      <SubmitButton form={form}>{conflictsText.rules.save}</SubmitButton>
    </Form>
  );
}

/** `?rule=` names the group that somebody came for. */
function GroupRow({ group, rules, isSought }: GroupProps & { isSought: boolean }) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isSought) row.current?.scrollIntoView({ block: 'center' });
  }, [isSought]);
  const { name, technology, parameters, policy, merge, scope, loser, hold_s, min_interval_ms } = group;
  return (
    <tr ref={row} class={isSought ? 'is-sought' : undefined} aria-current={isSought ? 'true' : undefined}>
      <th scope="row">
        <span class="chip">
          <Glyph technology={technology ?? undefined} />
          {name}
        </span>
      </th>
      <td>
        {parameters.map((parameter, index) => (
          <span key={parameter}>
            {index > 0 && ', '}
            <code>{parameter}</code>
          </span>
        ))}
      </td>
      <td>
        {isSought && session.value?.isAdmin ? (
          <PolicyForm {...{ group, rules }} />
        ) : (
          conflictsText.rules.policies[policy]
        )}
        {merge && ` (${conflictsText.rules.merges[merge]})`}
      </td>
      <td>{conflictsText.rules.scopes[scope ?? 'agent']}</td>
      <td>{conflictsText.rules.losers[loser ?? 'reject']}</td>
      <td class="figure">{formatSpan(hold_s ?? 30, 2)}</td>
      <td class="figure">{formatValue((min_interval_ms ?? 1000) / 1000, 's')}</td>
    </tr>
  );
}

const views = { log: ConflictLog, rules: ConflictRulesView };

export function ConflictsPage({ title }: PageProps) {
  return <PageViews title={title} path="/conflicts" label="View" names={viewsText} views={views} />;
}
