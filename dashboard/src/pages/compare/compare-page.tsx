// Several agents side by side: a chart for each measurement, a line for each agent, one axis of time. The address has it
// all: `?agents=a,b&metrics=x,y&window=1h`.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Chart, type TimeRange } from '../../components/chart/chart.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice, Notice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Page } from '../../components/layout/page.tsx';
import { timeWindow, timeWindowSeconds } from '../../data/time-window.ts';
import { labelWithoutUnit, unitOf } from '../../format/numbers.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { TimeWindowMenu } from '../../shell/time-window-menu.tsx';
import { compareText as text } from '../../text/compare.ts';
import { pageTitles } from '../../text/pages.ts';
import { AgentPicker } from './agent-picker.tsx';
import './compare-page.css';
import { maxAgents, maxMetrics, type OfferedMetric, readList } from './compare-series.ts';
import { useCompareSeries, useOfferedMetrics } from './use-compare-series.ts';

export function ComparePage() {
  const [agentText, setAgents] = useQueryState('agents');
  const [metricText, setMetrics] = useQueryState('metrics');
  const agents = useMemo(() => readList(agentText, maxAgents), [agentText]);
  const metrics = useMemo(() => readList(metricText, maxMetrics), [metricText]);
  const chosenWindow = timeWindow.value;
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  // Whoever chooses a window wants to see it.
  useEffect(() => setZoom(undefined), [chosenWindow]);
  const [isPaused, setPaused] = useState(false);
  const offer = useOfferedMetrics(agents, chosenWindow);
  const series = useCompareSeries({ agents, metrics, windowSeconds: timeWindowSeconds.value, zoom, isPaused });
  const labels = new Map(offer.metrics?.map(({ name, label }) => [name, label]));
  return (
    <Page
      title={pageTitles.compare}
      actions={
        <>
          {agents.length > 0 && (
            <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              {isPaused ? text.resume : text.pause}
            </Button>
          )}
          <TimeWindowMenu />
        </>
      }
    >
      <section class="card compare-choice">
        <h2>{text.agents}</h2>
        <AgentPicker agents={agents} onChange={(next) => setAgents(next.join(','))} />
        {agents.length > 0 && (
          <>
            <h2>{text.metrics}</h2>
            <MetricPicker
              offered={offer.metrics}
              chosen={metrics}
              agentCount={agents.length}
              onChange={(next) => setMetrics(next.join(','))}
            />
          </>
        )}
      </section>
      {offer.unknown.map((name) => (
        <Notice key={name} kind="warning" title={text.unknown}>
          <code>{name}</code>
        </Notice>
      ))}
      {series.failure && series.failure.status !== 404 && <FailureNotice failure={series.failure} />}
      {agents.length === 0 && <EmptyState title={text.none.title}>{text.none.words}</EmptyState>}
      {agents.length > 0 && metrics.length === 0 && offer.metrics && offer.metrics.length > 0 && (
        <EmptyState title={text.noMetrics.title}>{text.noMetrics.words}</EmptyState>
      )}
      {agents.length > 0 && metrics.length > 0 && (
        <div class="compare-charts">
          {metrics.map((name) => {
            const label = labels.get(name) ?? name;
            return (
              <Chart
                key={name}
                title={labelWithoutUnit(label)}
                unit={unitOf(name, label)}
                labels={agents}
                lines={series.lines?.get(name)}
                range={series.range}
                resolutionSeconds={series.resolutionSeconds}
                syncKey="compare"
                isZoomed={zoom !== undefined}
                onZoom={setZoom}
              />
            );
          })}
        </div>
      )}
    </Page>
  );
}

interface MetricPickerProps {
  offered: readonly OfferedMetric[] | undefined;
  chosen: readonly string[];
  agentCount: number;
  onChange: (metrics: string[]) => void;
}

function MetricPicker({ offered, chosen, agentCount, onChange }: MetricPickerProps) {
  if (!offered) {
    return (
      <div class="compare-metrics">
        <SkeletonLines count={2} />
      </div>
    );
  }
  // What the address names stays on show, whether or not anybody reports it now.
  const missing = chosen.filter((name) => offered.every((metric) => metric.name !== name));
  const all = [...offered, ...missing.map((name) => ({ name, label: name, count: 0 }))];
  if (all.length === 0) return <p class="soft">{text.nothingMeasured}</p>;
  const isFull = chosen.length >= maxMetrics;
  return (
    <div class="cluster compare-metrics" role="group" aria-label={text.metrics}>
      {all.map(({ name, label, count }) => {
        const isChosen = chosen.includes(name);
        return (
          <Button
            key={name}
            size="small"
            aria-pressed={isChosen}
            disabled={isFull && !isChosen}
            onClick={() => onChange(isChosen ? chosen.filter((each) => each !== name) : [...chosen, name])}
          >
            {label}
            {count < agentCount && <span class="faint">{text.some(count, agentCount)}</span>}
          </Button>
        );
      })}
    </div>
  );
}
