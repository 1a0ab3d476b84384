// One access point: its connection, its metrics over time, its configuration, its commands.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { open } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import type { TimeRange } from '../../components/chart/chart.tsx';
import { JsonBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { shortAgentName } from '../../format/short-agent-name.ts';
import '../../components/layout/facts.css';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import { PresenceChip, TechnologyChip } from '../../components/glyph.tsx';
import { Page } from '../../components/layout/page.tsx';
import { geolocationOf, technologyOf } from '../../data/agent-configuration.ts';
import { metricWords } from '../../data/metric-words.ts';
import { serverNow } from '../../data/server-clock.ts';
import { timeWindow, timeWindowSeconds } from '../../data/time-window.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import type { PageProps } from '../../router/page-props.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { TimeWindowMenu } from '../../shell/time-window-menu.tsx';
import { agentsText } from '../../text/agents.ts';
import { AgentCommands } from '../commands/agent-commands.tsx';
import { AgentCharts } from './agent-charts.tsx';
import './agent-page.css';
import { LastSeen } from './last-seen.tsx';
import { chooseMetrics } from './metric-choice.ts';
import { MetricChooser } from './metric-chooser.tsx';

export function AgentPage({ params }: PageProps) {
  const ap_id = params.ap_id!;
  const text = agentsText.one;
  const chosenWindow = timeWindow.value;
  const agent = useOperation('get_agent', { path: { ap_id } }, { pollMs: 15_000 });
  const presence = useOperation('metrics_presence', { query: { agents: [ap_id] } }, { pollMs: 2000 });
  const metrics = useOperation(
    'metrics_agent_metrics',
    { query: { agent: ap_id, window: chosenWindow } },
    // The first report of a new access point may come at any moment.
    { pollMs: ({ metrics: names }) => (names.length === 0 ? 2000 : 15_000) },
  );
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  // Whoever chooses a window wants to see it.
  useEffect(() => setZoom(undefined), [chosenWindow]);
  const [isPaused, setPaused] = useState(false);
  const there = presence.data?.agents[0];
  const configuration = agent.data?.configuration ?? {};
  const technology = technologyOf(configuration);
  const [wanted, setWanted] = useQueryState('metrics');
  // While another window is being asked about, the charts stay.
  const lastList = useRef(metrics.data?.metrics);
  lastList.current = metrics.data?.metrics ?? lastList.current;
  const list = lastList.current;
  // Both are asked for again and again; only new names or words make new charts.
  const key = JSON.stringify([list, configuration.metrics]);
  // The key stands for list and words.
  const known = useMemo(
    () => list?.map(({ name, label }) => ({ name, ...metricWords(configuration, name, label) })),
    [key],
  );
  const shown = useMemo(() => known && chooseMetrics(known, wanted), [known, wanted]);

  if (agent.failure?.status === 404) {
    return (
      <Page title={shortAgentName(ap_id)} beside={<a href="/agents">{text.back}</a>}>
        <EmptyState title={text.unknown}>{text.unknownWords}</EmptyState>
      </Page>
    );
  }
  const exportCsv = async () => {
    const seconds = timeWindowSeconds.peek();
    const range = zoom ?? { from: serverNow() / 1000 - seconds, to: serverNow() / 1000 };
    try {
      const response = await open('metrics_export', {
        query: { agent: ap_id, start: toMoment(range.from), end: toMoment(range.to), format: 'csv' },
      });
      save(await response.blob(), `weft-${ap_id}.csv`);
      showToast({ title: text.exporting });
    } catch (error) {
      showFailure(toFailure(error));
    }
  };
  return (
    <Page
      title={shortAgentName(ap_id)}
      beside={
        <>
          <CopyButton text={ap_id} label={text.copyName} />
          {agent.data && <TechnologyChip technology={technology} />}
          {there && <PresenceChip presence={there.presence} />}
          {configuration.emulated !== undefined && <span class="tag">{text.emulated}</span>}
        </>
      }
      actions={
        <>
          <span class="narrow-only">
            <ButtonLink icon="commands" href="#commands">
              {text.sendCommand}
            </ButtonLink>
          </span>
          <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? text.resume : text.pause}
          </Button>
          <ButtonLink icon="compare" href={`/compare?${new URLSearchParams({ agents: ap_id })}`}>
            {text.compare}
          </ButtonLink>
          <Button icon="download" onClick={exportCsv}>
            {text.exportCsv}
          </Button>
          <TimeWindowMenu />
        </>
      }
    >
      {agent.failure && <FailureNotice failure={agent.failure} />}
      {there && <p class="soft">{there.reason}</p>}
      <div class="agent-grid">
        <section class="stack" aria-label={text.metrics}>
          <h2 class="visually-hidden">{text.metrics}</h2>
          {known === undefined && <SkeletonLines count={8} />}
          {known?.length === 0 && (
            <div class="card">
              <EmptyState title={text.noMetrics}>{text.noMetricsWords}</EmptyState>
            </div>
          )}
          {known && shown && known.length > 0 && <MetricChooser {...{ known, shown }} onChange={setWanted} />}
          {known && known.length > 0 && shown?.length === 0 && <p class="soft">{text.noneChosen}</p>}
          {shown && shown.length > 0 && (
            <AgentCharts
              {...{ ap_id, zoom, isPaused }}
              metrics={shown}
              windowSeconds={timeWindowSeconds.value}
              onZoom={setZoom}
            />
          )}
        </section>
        <aside class="stack">
          <div id="commands">
            <AgentCommands ap_id={ap_id} configuration={agent.data?.configuration} />
          </div>
          <section class="card">
            <h2>{text.presence}</h2>
            <dl class="facts">
              <dt>{text.lastReport}</dt>
              <dd>
                <LastSeen at={there?.last_seen} />
              </dd>
              <dt>{text.interval}</dt>
              <dd>{there ? formatSpan(there.report_interval_seconds) : '–'}</dd>
              <dt>{text.channel}</dt>
              <dd>{there?.channel ? text.channelOpen : text.channelClosed}</dd>
              <dt>{text.ready}</dt>
              <dd>{there?.command_ready ? text.yes : text.no}</dd>
              {there?.report_budget && (
                <>
                  <dt>{text.budget}</dt>
                  <dd>
                    {text.budgetLeft(
                      toPercent(there.report_budget.points_left),
                      toPercent(there.report_budget.bytes_left),
                    )}
                  </dd>
                </>
              )}
              <Fact name={text.label} value={configuration.label} />
              <Fact name={text.site} value={configuration.site} />
              <Location configuration={configuration} />
            </dl>
          </section>
          <section class="card stack">
            <h2>{text.configuration}</h2>
            {agent.data ? <JsonBlock value={configuration} label={text.configuration} /> : <SkeletonLines />}
          </section>
        </aside>
      </div>
    </Page>
  );
}

function Fact({ name, value }: { name: string; value: unknown }) {
  if (typeof value !== 'string' || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Location({ configuration }: { configuration: Record<string, unknown> }) {
  const place = geolocationOf(configuration);
  if (!place) return null;
  return (
    <>
      <dt>{agentsText.one.location}</dt>
      <dd>
        {formatNumber(place.latitude, 5)}, {formatNumber(place.longitude, 5)}
      </dd>
    </>
  );
}

function toPercent(share: number): string {
  return `${formatNumber(share * 100, 0)} %`;
}

function toMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
