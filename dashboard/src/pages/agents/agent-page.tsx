// One access point: its connection, its metrics over time, its configuration, its commands.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { open } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import type { TimeRange } from '../../components/chart/chart.tsx';
import { JsonBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { Skeleton, SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import { StateChip, TechnologyChip } from '../../components/glyph.tsx';
import { Icon } from '../../components/icon.tsx';
import { Page } from '../../components/layout/page.tsx';
import { technologyOf } from '../../data/agent-configuration.ts';
import { agentName, selectorOf } from '../../data/agent-names.ts';
import { isSleeping } from '../../data/agent-state.ts';
import { stateOf } from '../../data/fleet.ts';
import { awaySince } from '../../data/freshness.ts';
import { useAgents } from '../../data/lists/use-agents.ts';
import { metricWords } from '../../data/metric-words.ts';
import { serverNow } from '../../data/server-clock.ts';
import { staleBefore } from '../../data/stale-value.ts';
import { timeWindow, timeWindowSeconds } from '../../data/time-window.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatMoment } from '../../format/times.ts';
import type { PageProps } from '../../router/page-props.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { TimeWindowMenu } from '../../shell/time-window-menu.tsx';
import { agentsText } from '../../text/agents.ts';
import { componentText } from '../../text/components.ts';
import { AgentCommands } from '../commands/agent-commands.tsx';
import { AgentDevicesCard } from '../devices/agent-devices-card.tsx';
import { AgentCharts } from './agent-charts.tsx';
import { AgentHealthCard } from './agent-health-card.tsx';
import './agent-page.css';
import './agent-timeline.css';
import { ConnectionCard } from './connection-card.tsx';
import { ManageAgentCard } from './manage-agent-card.tsx';
import { chooseMetrics, usualCount } from './metric-choice.ts';
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
  const listed = useAgents(
    { selector: selectorOf([ap_id]), limit: 1, fields: ['latest'] },
    { pages: 1, pollMs: () => 3000 },
  ).data?.items[0];
  const there = presence.data?.agents[0];
  const state = there && (listed?.state === 'ended' ? 'ended' : stateOf(there, isSleeping(listed?.power_state)));
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
      <Page title={agentName(ap_id)} beside={<a href="/agents">{text.back}</a>}>
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
      title={agentName(ap_id)}
      beside={<CopyButton text={ap_id} label={text.copyName} />}
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
      <div class="agent-grid">
        <section class="stack" aria-label={text.metrics}>
          <h2 class="visually-hidden">{text.metrics}</h2>
          <div class="agent-head">
            <div class="agent-state">
              {agent.data && <TechnologyChip technology={technology} />}
              {state && <StateChip state={state} />}
              {configuration.emulated !== undefined && <span class="tag">{text.emulated}</span>}
              {there && <Reason words={state === 'asleep' ? `${text.asleep} ${there.reason}` : there.reason} />}
            </div>
            {known && shown && known.length > 0 && <MetricChooser {...{ known, shown }} onChange={setWanted} />}
          </div>
          {known === undefined && <ChartPlaces count={usualCount} />}
          {known?.length === 0 && (
            <div class="card agent-no-metrics">
              <EmptyState title={text.noMetrics}>{text.noMetricsWords}</EmptyState>
            </div>
          )}
          {known && known.length > 0 && shown?.length === 0 && <p class="soft">{text.noneChosen}</p>}
          {shown && shown.length > 0 && (
            <AgentCharts
              {...{ ap_id, zoom, isPaused, state }}
              metrics={shown}
              windowSeconds={timeWindowSeconds.value}
              staleBefore={state && staleBefore(state, there)}
              onZoom={setZoom}
            />
          )}
          <AgentDevicesCard ap_id={ap_id} />
        </section>
        <aside class="stack">
          <ConnectionCard ap_id={ap_id} there={there} configuration={configuration} listed={listed} />
          <AgentHealthCard ap_id={ap_id} />
          <div id="commands">
            <AgentCommands ap_id={ap_id} configuration={agent.data?.configuration} listed={listed} />
          </div>
          <details class="card agent-configuration">
            <summary>
              <h2>{text.configuration}</h2>
              <Icon name="chevron-down" size={16} />
            </summary>
            {agent.data ? <JsonBlock value={configuration} label={text.configuration} /> : <SkeletonLines />}
          </details>
          {listed?.may.includes('manage') && (
            <ManageAgentCard ap_id={ap_id} configuration={agent.data?.configuration} listed={listed} />
          )}
        </aside>
      </div>
    </Page>
  );
}

/** What Weft says of its connection; when Weft is unreachable, what it said last. */
function Reason({ words }: { words: string }) {
  const since = awaySince.value;
  return (
    <span class="soft agent-reason" title={words}>
      {since === undefined ? words : agentsText.one.asOf(formatMoment(since), words)}
    </span>
  );
}

/** Rooms for charts that are not known yet, so that nothing below them moves when they come. */
function ChartPlaces({ count }: { count: number }) {
  return (
    <>
      <div class="card agent-timeline">
        <Skeleton width="30%" />
      </div>
      <div class="chart-grid" role="status" aria-label={componentText.loading}>
        {Array.from({ length: count }, (_, index) => (
          <div key={index} class="card chart small is-place">
            <Skeleton width="40%" />
          </div>
        ))}
      </div>
    </>
  );
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
