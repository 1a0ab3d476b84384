// Where callers were in each other's way, and the rules by which it was settled.
import { Loading, showToast } from '../../components/feedback.tsx';
import { SelectField } from '../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { Card, PageViews, TableHead } from '../../components/page.tsx';
import './conflicts-page.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ConflictRules, call, type ParameterGroup } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatNumber, formatSpan, formatValue } from '../../format.ts';
import { useQueryState } from '../../router/location.ts';
import { session } from '../../session/session.ts';
import { pageTitles } from '../../text/components.ts';
import { conflictsText } from '../../text/conflicts.ts';
import { ConflictLog } from './conflict-log.tsx';
import { RulesEditor } from './rules-editor.tsx';

const text = conflictsText.rules;

export function ConflictRulesView() {
  const { data: rules, failure } = useOperation('get_conflict_rules', {});
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <div class="rules-head">
        <p class="soft">{text.words}</p>
        {session.value?.isAdmin ? (
          rules && !isEditing && <Button onClick={() => setEditing(true)}>{text.edit}</Button>
        ) : (
          <span class="faint">{text.onlyAdmins}</span>
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
  const { columns } = text;
  const [rule] = useQueryState('rule');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="card rules-table" tabIndex={0} aria-label={text.groups}>
        <table>
          <TableHead titles={Object.values(columns)} />
          <tbody>
            {rules.groups.map((group) => (
              <GroupRow key={group.name} {...{ group, rules }} isSought={group.name === rule} />
            ))}
          </tbody>
        </table>
      </section>
      <div class="rules-cards">
        <Card title={text.range} look="">
          <p class="soft">{text.rangeWords}</p>
          <ul class="rules-ranges">
            {(['5G', 'WiFi', 'LiFi'] as const).map((technology) => (
              <li key={technology} class="chip">
                <Glyph technology={technology} />
                {technology} <strong>{formatValue(interference_range_m[technology], 'm')}</strong>
              </li>
            ))}
          </ul>
        </Card>
        <Card title={text.oscillation} look="">
          <p class="soft">
            {oscillation.freeze_s === 0
              ? text.neverFrozen
              : text.oscillationWords(
                  text.times(oscillation.reversals),
                  formatSpan(oscillation.window_s, 2),
                  formatSpan(oscillation.freeze_s, 2),
                )}
          </p>
        </Card>
        <Card title={text.blast} look="">
          <p class="soft">
            {text.blastWords(
              formatValue(blast_radius.fraction * 100, '%'),
              formatNumber(blast_radius.minimum),
              formatSpan(blast_radius.window_s, 2),
            )}
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
    showToast({ title: text.saved });
  };
  return (
    <Form form={form} label={text.edit} onSubmit={save}>
      <SelectField {...form.at('policy')} label={text.columns.policy} options={text.policies} />
      <SubmitButton form={form}>{text.save}</SubmitButton>
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
        {isSought && session.value?.isAdmin ? <PolicyForm {...{ group, rules }} /> : text.policies[policy]}
        {merge && ` (${text.merges[merge]})`}
      </td>
      <td>{text.scopes[scope ?? 'agent']}</td>
      <td>{text.losers[loser ?? 'reject']}</td>
      <td class="figure">{formatSpan(hold_s ?? 30, 2)}</td>
      <td class="figure">{formatValue((min_interval_ms ?? 1000) / 1000, 's')}</td>
    </tr>
  );
}

const views = { log: ConflictLog, rules: ConflictRulesView };

export function ConflictsPage() {
  const { viewsLabel, views: names } = conflictsText;
  return <PageViews title={pageTitles.conflicts} path="/conflicts" label={viewsLabel} names={names} views={views} />;
}
