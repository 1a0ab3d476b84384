// One agent: whether it is there and why, its measurements over time, its configuration.
import { useMemo, useState } from 'preact/hooks';
import { open } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import type { TimeRange } from '../../components/chart/chart.tsx';
import { JsonBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PresenceChip, TechnologyChip } from '../../components/glyph.tsx';
import { FailureNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { showFailure, showToast } from '../../components/toasts.tsx';
import { geolocationOf, technologyOf } from '../../data/agent-configuration.ts';
import { now } from '../../data/freshness.ts';
import { timeWindow, timeWindowSeconds } from '../../data/time-window.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatAge, formatMoment, formatSpan } from '../../format/times.ts';
import type { PageProps } from '../../routes.ts';
import { TimeWindowMenu } from '../../shell/time-window-menu.tsx';
import { agentsText } from '../../text/agents.ts';
import { AgentCharts } from './agent-charts.tsx';
import './agent-page.css';

export function AgentPage({ params }: PageProps) {
  const ap_id = params.ap_id!;
  const text = agentsText.one;
  const agent = useOperation('get_agent', { path: { ap_id } }, { pollMs: 15_000 });
  const presence = useOperation('metrics_presence', { query: { agents: [ap_id] } }, { pollMs: 2000 });
  const metrics = useOperation(
    'metrics_agent_metrics',
    { query: { agent: ap_id, window: timeWindow.value } },
    { pollMs: 15_000 },
  );
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  const [isPaused, setPaused] = useState(false);
  const there = presence.data?.agents[0];
  const configuration = agent.data?.configuration ?? {};
  const technology = technologyOf(configuration);
  // The list is asked for again and again; only a new name makes new charts.
  const key = JSON.stringify(metrics.data?.metrics);
  // The key stands for the list.
  const known = useMemo(() => metrics.data?.metrics, [key]);

  if (agent.failure?.status === 404) {
    return (
      <Page title={ap_id} beside={<a href="/agents">{text.back}</a>}>
        <EmptyState title={text.unknown}>{text.unknownWords}</EmptyState>
      </Page>
    );
  }
  const exportCsv = async () => {
    const seconds = timeWindowSeconds.peek();
    const range = zoom ?? { from: Date.now() / 1000 - seconds, to: Date.now() / 1000 };
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
      title={ap_id}
      beside={
        <>
          {agent.data && <TechnologyChip technology={technology} />}
          {there && <PresenceChip presence={there.presence} />}
          {configuration.emulated !== undefined && <span class="tag">{text.emulated}</span>}
        </>
      }
      actions={
        <>
          <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? text.resume : text.pause}
          </Button>
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
        <section class="stack" aria-label={text.measurements}>
          {known === undefined && <SkeletonLines count={8} />}
          {known?.length === 0 && (
            <div class="card">
              <EmptyState title={text.noMetrics}>{text.noMetricsWords}</EmptyState>
            </div>
          )}
          {known && known.length > 0 && (
            <AgentCharts
              {...{ ap_id, zoom, isPaused }}
              metrics={known}
              windowSeconds={timeWindowSeconds.value}
              onZoom={setZoom}
            />
          )}
        </section>
        <aside class="stack">
          <section class="card">
            <h2>{text.presence}</h2>
            <dl class="facts">
              <dt>{text.lastReport}</dt>
              <dd>{there?.last_seen ? <Ago at={Date.parse(there.last_seen)} /> : agentsText.never}</dd>
              <dt>{text.interval}</dt>
              <dd>{there ? formatSpan(there.report_interval_seconds) : '–'}</dd>
              <dt>{text.channel}</dt>
              <dd>{there?.channel ? text.channelOpen : text.channelClosed}</dd>
              <dt>{text.ready}</dt>
              <dd>{there?.command_ready ? text.yes : text.no}</dd>
              <Place configuration={configuration} />
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

function Ago({ at }: { at: number }) {
  const seconds = Math.max(0, (now.value - at) / 1000);
  return <span title={formatMoment(at)}>{seconds < 2 ? agentsText.justNow : agentsText.ago(formatAge(seconds))}</span>;
}

function Place({ configuration }: { configuration: Record<string, unknown> }) {
  const place = geolocationOf(configuration);
  if (!place) return null;
  return (
    <>
      <dt>{agentsText.one.place}</dt>
      <dd>
        {formatNumber(place.latitude, 5)}, {formatNumber(place.longitude, 5)}
      </dd>
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
