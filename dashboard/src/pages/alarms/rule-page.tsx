// One alarm rule: its condition in fields, tried on the last day before it is saved.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { AlarmRule } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice, Notice } from '../../components/feedback/notice.tsx';
import { PageSkeleton } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { keepForm, useUnsavedForm } from '../../components/forms/unsaved-form.ts';
import { Page } from '../../components/layout/page.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { navigate } from '../../router/location.ts';
import type { PageProps } from '../../router/page-props.ts';
import { session } from '../../session/session.ts';
import { alarmsText } from '../../text/alarms.ts';
import './alarms-page.css';
import { RuleFields } from './rule-fields.tsx';
import { emptyRule, type RuleValues, toRule, toValues } from './rule-form.ts';
import { RulePreview } from './rule-preview.tsx';

const text = alarmsText.rule;
const back = <a href="/alarms?view=rules">{text.back}</a>;

export function RulePage({ params }: PageProps) {
  const id = params.id!;
  const isNew = id === 'new';
  const { data, failure } = useOperation('get_alarm_rule', { path: { rule_id: id } }, { isWanted: !isNew });
  if (failure?.status === 404) {
    return (
      <Page title={text.unknown} beside={back}>
        <EmptyState title={text.unknown}>{text.unknownWords}</EmptyState>
      </Page>
    );
  }
  if (!isNew && !data) {
    return (
      <Page title={alarmsText.views.rules} beside={back}>
        {failure ? (
          <FailureNotice failure={failure} onRetry={() => queries.refresh('get_alarm_rule')} />
        ) : (
          <PageSkeleton />
        )}
      </Page>
    );
  }
  return <RuleEditor key={id} rule={data} />;
}

function RuleEditor({ rule }: { rule: AlarmRule | undefined }) {
  const form = useForm<RuleValues>(rule ? toValues(rule) : emptyRule);
  const [asked, setAsked] = useState(false);
  const isAdmin = session.value?.isAdmin === true;
  useUnsavedForm(form);
  const name = rule?.name ?? text.newTitle;
  const save = async (values: RuleValues) => {
    const json = toRule(values, rule?.labels);
    if (rule) await call('update_alarm_rule', { path: { rule_id: rule.id }, json });
    else await call('create_alarm_rule', { json });
    keepForm(form);
    queries.refresh('list_alarm_rules');
    queries.refresh('get_alarm_rule');
    showToast({ title: text.saved(json.name) });
    navigate('/alarms?view=rules', { isReplacing: true });
  };
  const isProduct = rule?.product != null;
  return (
    <Page
      title={name}
      beside={back}
      actions={
        isAdmin &&
        rule &&
        (!isProduct || rule.adjusted) && (
          <Button kind="danger" onClick={() => setAsked(true)}>
            {isProduct ? text.reset : text.remove}
          </Button>
        )
      }
    >
      {!isAdmin && <Notice title={text.readOnly} />}
      <div class="rule-grid">
        <div class="card">
          <Form form={form} label={name} onSubmit={save}>
            <RuleFields form={form} />
            <div>
              <Button type="submit" kind="primary" disabled={!isAdmin} isBusy={form.isBusy.value}>
                {text.save}
              </Button>
            </div>
          </Form>
        </div>
        <RulePreview form={form} labels={rule?.labels} />
      </div>
      {asked && rule && (
        <ConfirmDialog
          title={isProduct ? text.resetTitle(name) : text.removeTitle(name)}
          action={isProduct ? text.reset : text.remove}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            const path = { rule_id: rule.id };
            if (isProduct) await call('reset_alarm_rule', { path });
            else await call('remove_alarm_rule', { path });
            keepForm(form);
            queries.refresh('list_alarm_rules');
            showToast({ title: isProduct ? text.resetDone(name) : text.removed(name) });
            navigate('/alarms?view=rules', { isReplacing: true });
          }}
        >
          {isProduct ? '' : text.removeWords}
        </ConfirmDialog>
      )}
    </Page>
  );
}
