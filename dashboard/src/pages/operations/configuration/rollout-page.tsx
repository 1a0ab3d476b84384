// A roll-out: its waves, what its gates watch on both sides, and how each access point stands. It follows by itself.
import { useMemo, useState } from 'preact/hooks';
import { call, type Rollout, type RolloutAgent, type RolloutSeries } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { Chart, type TimeRange } from '../../../components/chart/chart.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { Loading, Notice } from '../../../components/feedback.tsx';
import { Page, UnknownPage } from '../../../components/page.tsx';
import { noteNames, withAgentName } from '../../../data/agents.ts';
import { metricWords } from '../../../data/metrics.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment, formatNumber } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { configurationText } from '../../../text/pages.ts';
import { type RolloutAction, rankOf, rolloutActions, StateMark, selectorWords } from './config-words.tsx';

const text = {
  wave: (number: number) => `Wave ${number}`,
  percent: (share: string) => (share === '100' ? 'All of them' : `Up to ${share} %`),
  groups: { treated: (count: string) => `Changed (${count})`, untreated: (count: string) => `Not changed (${count})` },
  agents: 'Access points',
  asks: {
    pause: 'No further access point gets it until somebody resumes it.',
    resume: 'It goes on. Failures so far are accepted.',
    revert: 'Every access point that has been changed goes back to what it was, each with a trial of its own.',
    abort: 'Nobody else gets it. Those that have it keep it until their settings are changed again.',
  },
};

const back = <a href="/configuration?view=rollouts">All roll-outs</a>;
/** Of each roll-out so many are asked for, and those that need a look most are listed. */
const listed = 1000;
const shown = 200;
const soonMs = ({ state }: Pick<Rollout, 'state'>) => (state === 'running' || state === 'reverting' ? 2000 : 10_000);

export function RolloutPage({ params, title: kind }: PageProps) {
  const path = { id: params.id! };
  const { data: rollout, failure } = useOperation('get_rollout', { path }, { pollMs: soonMs });
  const { data: agents } = useOperation('list_rollout_agents', { path, query: { limit: listed } }, { pollMs: 4000 });
  useMemo(() => agents && noteNames(agents.items), [agents]);
  const [asked, setAsked] = useState<RolloutAction | undefined>(undefined);
  const title = rollout?.title ?? kind;
  if (failure?.status === 404) return <UnknownPage {...{ title, back }} unknown="Roll-out not found" words="" />;
  // The server names access points by their ids.
  const named = agents?.items.find(({ ap_id }) => rollout?.reason?.includes(ap_id));
  const { state, sentence = '\u00a0', reason = null, created_by = '', created_at, ended_at } = rollout ?? {};
  const word = state ? configurationText.rollouts.states[state] : '';
  const since = created_at ? `Started by ${created_by}, ${formatMoment(created_at)}` : '\u00a0';
  return (
    <Page
      title={title}
      beside={[state && <StateMark key="state" state={state} words={word} />, back]}
      lead={
        <div class="config-lead" aria-live="polite">
          <p class="config-sentence">{sentence}</p>
          <p class="soft">
            {since}
            {ended_at && `, ended ${formatMoment(ended_at)}`}
          </p>
        </div>
      }
      actions={
        rollout &&
        rolloutActions(rollout).map((action) => (
          <Button key={action} onClick={() => setAsked(action)} words={configurationText.rollout.actions[action]} />
        ))
      }
    >
      <Loading data={rollout} failure={failure} again="get_rollout" lines={8} />
      {reason !== null && (
        <Notice
          kind={state === 'stopped' ? 'failure' : 'note'}
          title={word}
          words={withAgentName(reason, named?.ap_id ?? null)}
        />
      )}
      {rollout && <Waves rollout={rollout} />}
      {rollout?.plan.gates?.map(
        ({ metric }) => metric !== undefined && <GateChart key={metric} {...{ rollout, metric }} />,
      )}
      {agents && <Agents items={agents.items} />}
      {asked && (
        <ConfirmDialog
          title={`${configurationText.rollout.actions[asked]}: ${title}?`}
          action={configurationText.rollout.actions[asked]}
          kind={asked === 'revert' || asked === 'abort' ? 'danger' : 'primary'}
          onClose={() => setAsked(undefined)}
          onConfirm={() => call(`${asked}_rollout`, { path })}
          changes={['get_rollout', 'list_rollout']}
          done={`${configurationText.rollout.actions[asked]}: ${title}`}
          words={text.asks[asked]}
        />
      )}
    </Page>
  );
}

function Waves({ rollout: { state, wave: current, waves, plan } }: { rollout: Rollout }) {
  return (
    <ol class="config-waves" aria-label="Waves">
      {waves.map(({ access_points, treated, succeeded, failed }, index) => {
        const { select, percent = 100 } = plan.waves?.[index] ?? {};
        const isNow = index + 1 === current && ['running', 'paused', 'stopped'].includes(state);
        const left = Math.max(0, access_points - treated);
        const shares = { good: succeeded, bad: failed, busy: treated - succeeded - failed, left };
        const [good, all, bad] = [succeeded, access_points, failed].map((count) => formatNumber(count));
        return (
          <li key={index} class={`card ${isNow ? 'now' : ''}`} aria-current={isNow ? 'step' : undefined}>
            <h2>{text.wave(index + 1)}</h2>
            <p class="soft small">
              {select === undefined ? text.percent(formatNumber(percent)) : selectorWords(select)}
            </p>
            <div class="config-bar" aria-hidden="true">
              {Object.entries(shares).map(([look, count]) => (
                <i key={look} class={look} style={{ flexGrow: count }} />
              ))}
            </div>
            <p class="small">{`${good!} of ${all!} confirmed${bad! === '0' ? '' : `, ${bad!} failed`}`}</p>
          </li>
        );
      })}
    </ol>
  );
}

/** The metric that a gate watches, where the change is and where it is not. */
function GateChart({ rollout, metric }: { rollout: Rollout; metric: string }) {
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  const pollMs = rollout.state === 'running' ? 10_000 : 60_000;
  const { data } = useOperation('rollout_series', { path: { id: rollout.id }, query: { metric } }, { pollMs });
  const lines = useMemo(() => data && [toLine('treated', data), toLine('untreated', data)], [data]);
  const times = lines?.flatMap((line) => line.times) ?? [];
  const from = Date.parse(rollout.created_at) / 1000;
  const range = zoom ?? { from: Math.min(from, ...times), to: Math.max(from + 60, ...times) };
  const { label, unit } = metricWords({}, metric);
  const labels = [text.groups.treated('…'), text.groups.untreated('…')];
  return (
    <Chart
      title={label}
      {...{ unit, lines, range, labels }}
      resolutionSeconds={data?.resolution_seconds}
      onZoom={setZoom}
    />
  );
}

function toLine(name: 'treated' | 'untreated', { [name]: { access_points, points } }: RolloutSeries) {
  return {
    name,
    label: text.groups[name](formatNumber(access_points)),
    times: points.map(({ ts }) => Date.parse(ts) / 1000),
    values: points.map(({ mean }) => mean),
    lows: points.map(({ low }) => low),
    highs: points.map(({ high }) => high),
  };
}

function Agents({ items }: { items: readonly RolloutAgent[] }) {
  const sorted = items.toSorted((a, b) => rankOf(a.state) - rankOf(b.state)).slice(0, shown);
  return (
    <section class="stack">
      <h2>{text.agents}</h2>
      <ul class="card config-list" aria-label={text.agents}>
        {sorted.map(({ ap_id, state, wave, detail }) => (
          <li key={ap_id}>
            <StateMark state={state} words={configurationText.states[state][0]} />
            <div class="config-words">
              <AgentLink ap_id={ap_id} />
              <span class="soft small">{[text.wave(wave), detail].filter(Boolean).join(' · ')}</span>
            </div>
          </li>
        ))}
      </ul>
      {items.length > shown && <p class="soft">{`These ${formatNumber(shown)} need a look most.`}</p>}
    </section>
  );
}
