// One alarm rule: its condition in fields, tried on the last day before it is saved.
import './alarms-page.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type AlarmPreview, type AlarmRule, type AlarmRuleInput, call, problemAt } from '../../../api/client.ts';
import { AgentName } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { Chart, type TimeRange } from '../../../components/chart/chart.tsx';
import { seriesLines } from '../../../components/chart/chart-shape.ts';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { FailureNotice, Notice, PageSkeleton, showToast, useTry } from '../../../components/feedback.tsx';
import { Form, type FormState, keepForm, SubmitRow, useForm, useUnsavedForm } from '../../../components/forms/form.tsx';
import { Page, UnknownPage } from '../../../components/page.tsx';
import { agentName } from '../../../data/agents.ts';
import { metricWords, useMetricNames } from '../../../data/metrics.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber, formatSpan } from '../../../format.ts';
import { navigate, type PageProps } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { alarmsText } from '../../../text/pages.ts';
import { RuleFields } from './rule-fields.tsx';
import { conditionWords, emptyRule, kindOf, missingIn, type RuleValues, toRule, toValues } from './rule-form.ts';

const text = { newTitle: 'New alarm rule', unknown: 'Rule not found', remove: 'Delete', reset: 'Reset to default' };

const windowHours = 24;
/** Who has not typed for so long sees what the rule would have done. */
const restMs = 1000;

export function RulePreview({ form, labels }: { form: FormState<RuleValues>; labels: AlarmRuleInput['labels'] }) {
  const [found, setFound] = useState<{ of: string; preview: AlarmPreview } | undefined>(undefined);
  const { isBusy, failure, setFailure, run } = useTry();
  const rule = toRule(form.values.value, labels);
  const key = JSON.stringify(rule);
  const ask = async () => {
    const missing = missingIn(form.values.peek());
    if (missing) {
      form.problems.value = Object.fromEntries([missing]);
      setFailure(problemAt(...missing));
      return;
    }
    await run(async () => {
      // A name is needed to save a rule, not to try it.
      const json = { ...rule, name: rule.name || text.newTitle };
      setFound({ of: key, preview: await call('preview_alarm_rule', { query: { window: windowHours }, json }) });
    });
  };
  useEffect(() => {
    if (form.values.peek() === form.saved.peek() || missingIn(form.values.peek())) return;
    const timer = setTimeout(ask, restMs);
    return () => clearTimeout(timer);
  }, [key]);
  const preview = found?.of === key ? found.preview : undefined;
  return (
    <section class="card stack rule-preview" aria-live="polite">
      <div>
        <Button
          icon="play"
          isBusy={isBusy}
          onClick={ask}
          words={isBusy ? 'Reading the last day' : 'Try it on the last day'}
        />
      </div>
      {failure && <FailureNotice failure={failure} />}
      {preview && <Found {...{ preview, rule }} />}
    </section>
  );
}

interface FoundProps {
  preview: AlarmPreview;
  rule: AlarmRuleInput;
}

function Found({ preview, rule }: FoundProps) {
  const names = useMetricNames().map(([name]) => name);
  const { metric = '', other_metric = '' } = rule.condition;
  const unknown = names.length > 0 && [metric, other_metric].find((name) => name !== '' && !names.includes(name));
  const { times, agents, agents_selected, is_complete, alarms } = preview;
  return (
    <>
      <h2>
        {times === 0
          ? 'Would not have rung in the last day'
          : `Would have rung ${formatCount(times, 'time')} in the last day`}
      </h2>
      <p class="soft">
        {`${formatNumber(agents)} of ${formatNumber(agents_selected)} access points looked at.`}
        {!is_complete && ' There was more to read than a preview may: a narrower selector shows all.'}
      </p>
      {unknown && times === 0 && <Notice kind="warning" title={`No access point is known to report ${unknown}`} />}
      <RungChart {...{ preview, rule }} />
      {alarms.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol tabIndex={0}>
          {alarms.map(({ ap_id, subject, from, until }) => (
            <li key={`${subject} ${from}`}>
              {formatMoment(from)} · {ap_id === null ? subject : <AgentName ap_id={ap_id} />} ·{' '}
              {until === null
                ? 'still firing'
                : formatSpan(Math.max(1, (Date.parse(until) - Date.parse(from)) / 1000), 2)}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** More lines cannot be told apart. */
const maxLines = 4;

/** The values of those that rang first, their limit, and when they rang; only for rules with a limit. */
function RungChart({ preview: { from, until, alarms }, rule: { condition } }: FoundProps) {
  const { metric, value } = condition;
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  const ap_ids = [...new Set(alarms.flatMap(({ ap_id }) => ap_id ?? []))].slice(0, maxLines);
  const isWanted = kindOf(condition) === 'limit' && metric !== undefined && value !== undefined && ap_ids.length > 0;
  const day = { from: Date.parse(from) / 1000, to: Date.parse(until) / 1000 };
  const query = {
    agents: ap_ids,
    metrics: [metric ?? ''],
    window: `${Math.ceil(day.to - day.from)}s`,
    end: until,
    max_points: 400,
  };
  const { data } = useOperation('metrics_series', { query }, { isWanted });
  const lines = useMemo(() => data && seriesLines(data.agents, query.metrics[0]!), [data]);
  const alarm = useMemo(() => {
    const shown = alarms.filter(({ ap_id }) => ap_id !== null && ap_ids.includes(ap_id));
    const spans = shown.map((rung) => ({
      from: Date.parse(rung.from) / 1000,
      to: Date.parse(rung.until ?? until) / 1000,
    }));
    return { limit: value ?? 0, spans };
  }, [alarms]);
  if (!isWanted) return null;
  const words = metricWords({}, metric);
  return (
    <Chart
      title={words.label}
      unit={words.unit}
      lines={lines?.map((line) => ({ ...line, label: agentName(line.name) }))}
      labels={ap_ids.map(agentName)}
      range={zoom ?? day}
      resolutionSeconds={data?.agents[0]?.resolution_seconds}
      alarm={alarm}
      syncKey="rule"
      size="small"
      onZoom={setZoom}
    />
  );
}

const back = <a href="/alarms?view=rules">All rules</a>;

export function RulePage({ params }: PageProps) {
  const id = params.id!;
  const isNew = id === 'new';
  const { data, failure } = useOperation('get_alarm_rule', { path: { rule_id: id } }, { isWanted: !isNew });
  if (failure?.status === 404) {
    return (
      <UnknownPage
        title={text.unknown}
        {...{ back }}
        unknown={text.unknown}
        words="It may have been deleted. Choose one from the list."
      />
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
    const given = toRule(values, rule?.labels);
    const json = { ...given, name: given.name || conditionWords(given) };
    if (rule) await call('update_alarm_rule', { path: { rule_id: rule.id }, json });
    else await call('create_alarm_rule', { json });
    keepForm(form);
    queries.refresh('list_alarm_rules', 'get_alarm_rule');
    showToast({ title: `${json.name} saved` });
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
          <Button kind="danger" onClick={() => setAsked(true)} words={isProduct ? text.reset : text.remove} />
        )
      }
    >
      {!isAdmin && <Notice title="Only administrators can change rules." />}
      <div class="rule-grid">
        <div class="card">
          <Form form={form} label={name} onSubmit={save}>
            <RuleFields form={form} />
            <SubmitRow form={form} disabled={!isAdmin} words="Save" />
          </Form>
        </div>
        <RulePreview form={form} labels={rule?.labels} />
      </div>
      {asked && rule && (
        <ConfirmDialog
          title={isProduct ? `Reset ${name} to how it comes with Weft?` : `Delete ${name}?`}
          action={isProduct ? text.reset : text.remove}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            const path = { rule_id: rule.id };
            if (isProduct) await call('reset_alarm_rule', { path });
            else await call('remove_alarm_rule', { path });
            keepForm(form);
          }}
          changes={['list_alarm_rules']}
          done={isProduct ? `${name} reset` : `${name} deleted`}
          onDone={() => navigate('/alarms?view=rules', { isReplacing: true })}
          words={isProduct ? '' : 'Alarms that it has raised are cleared. To pause a rule, turn it off instead.'}
        />
      )}
    </Page>
  );
}
