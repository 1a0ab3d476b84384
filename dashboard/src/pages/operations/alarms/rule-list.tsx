// The rules: what each watches for, and whether it is on.
import { type AlarmRule, call } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { EmptyState, Loading, useAction } from '../../../components/feedback.tsx';
import { SearchInput } from '../../../components/forms/draft.tsx';
import { SeverityChip } from '../../../components/glyph.tsx';
import { filterRows } from '../../../components/tables/table-view.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { alarmsText } from '../../../text/pages.ts';
import { conditionWords } from './rule-form.ts';

const text = { off: 'off', filter: 'Filter rules' };

export function RuleList() {
  const { data, failure } = useOperation('list_alarm_rules', {}, { pollMs: 15_000 });
  const [filter, setFilter] = useQueryState('q');
  const isAdmin = session.value?.isAdmin === true;
  const rules =
    data && filterRows(data.items, (rule) => `${rule.name} ${rule.severity} ${conditionWords(rule)}`, filter);
  return (
    <>
      <p class="soft">A rule watches access points and raises an alarm when its condition holds.</p>
      <div class="spread">
        <SearchInput
          value={filter}
          onCommit={setFilter}
          isLive
          attributes={{ placeholder: text.filter, 'aria-label': text.filter }}
        />
        {isAdmin && <ButtonLink icon="plus" kind="primary" href="/alarms/rules/new" words="New rule" />}
      </div>
      <Loading data={rules} failure={failure} again="list_alarm_rules" lines={8} />
      {rules?.length === 0 && <EmptyState title={filter === '' ? 'No rules' : alarmsText.noMatch} />}
      {rules && rules.length > 0 && (
        <ul class="card rule-list">
          {rules.map((rule) => (
            <RuleRow key={rule.id} rule={rule} canChange={isAdmin} />
          ))}
        </ul>
      )}
    </>
  );
}

function RuleRow({ rule, canChange }: { rule: AlarmRule; canChange: boolean }) {
  const { id, name, severity, selector = '', enabled = true, product, adjusted } = rule;
  const { isBusy, act } = useAction();
  const turn = async () => {
    await act(async () => {
      const { id: _id, product: _product, adjusted: _adjusted, created_at: _at, updated_at: _on, ...input } = rule;
      await call('update_alarm_rule', { path: { rule_id: id }, json: { ...input, enabled: !enabled } });
      return enabled ? `${name} is off` : `${name} is on`;
    });
    queries.refresh('list_alarm_rules');
  };
  const origin = product === null ? '' : ` · ${adjusted ? 'comes with Weft, adjusted' : 'comes with Weft'}`;
  return (
    <li class={`rule-row ${enabled ? '' : 'is-off'}`}>
      <SeverityChip severity={severity} />
      <div class="rule-words">
        <a href={`/alarms/rules/${encodeURIComponent(id)}`}>{name}</a>
        <span class="soft small">
          {conditionWords(rule)}
          {rule.condition.weft === undefined && ' · '}
          {rule.condition.weft === undefined &&
            (selector === '' ? alarmsText.rules.everywhere : <code>{selector}</code>)}
          {origin}
        </span>
      </div>
      {canChange ? (
        <Button
          size="small"
          role="switch"
          aria-checked={enabled}
          aria-label={enabled ? `Turn off ${name}` : `Turn on ${name}`}
          isBusy={isBusy}
          onClick={turn}
        >
          {enabled ? alarmsText.rule.enabled : text.off}
        </Button>
      ) : (
        !enabled && <span>{text.off}</span>
      )}
    </li>
  );
}
