// Several agents side by side: a chart for each measurement, a line for each agent, one axis of time. The address has it
// all: `?agents=a,b&metrics=x,y&window=1h`.
import './compare-page.css';
import { useId, useMemo, useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Chart, ChartCaption } from '../../components/chart/chart.tsx';
import { EmptyState, FailureNotice, Notice, SkeletonLines } from '../../components/feedback.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { Page } from '../../components/page.tsx';
import { TimeWindowMenu, timeWindowSeconds, useZoom } from '../../components/time-window.tsx';
import { useFleet } from '../../data/fleet.ts';
import { labelWithoutUnit, unitOf } from '../../format.ts';
import { useQueryState } from '../../router/location.ts';
import { compareText as text } from '../../text/compare.ts';
import { pageTitles } from '../../text/components.ts';
import {
  maxAgents,
  maxMetrics,
  type OfferedMetric,
  readList,
  useCompareSeries,
  useOfferedMetrics,
} from './compare-series.ts';

interface AgentPickerProps {
  agents: readonly string[];
  onChange: (agents: string[]) => void;
}

// More would make the browser's list slow; typing narrows it anyway.
const maxOffered = 500;

export function AgentPicker({ agents, onChange }: AgentPickerProps) {
  const { agents: fleet } = useFleet();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const id = useId();
  const byName = new Map(fleet?.map((agent) => [agent.ap_id, agent]));
  const add = (name: string) => {
    if (name === '' || agents.includes(name)) return setTyped('');
    if (fleet && !byName.has(name)) return setProblem(text.unknown);
    setTyped('');
    onChange([...agents, name]);
  };
  return (
    <div class="stack">
      {agents.length > 0 && (
        <ul class="compare-agents">
          {agents.map((name) => (
            <li key={name}>
              <Glyph technology={byName.get(name)?.technology} state={byName.get(name)?.state ?? 'never'} />
              <a href={`/agents/${encodeURIComponent(name)}`}>{name}</a>
              <IconButton
                icon="close"
                label={text.remove(name)}
                onClick={() => onChange(agents.filter((each) => each !== name))}
              />
            </li>
          ))}
        </ul>
      )}
      {agents.length >= maxAgents ? (
        <p class="faint">{text.full(maxAgents)}</p>
      ) : (
        <form
          class="compare-add"
          onSubmit={(event) => {
            event.preventDefault();
            add(typed.trim());
          }}
        >
          <div class={`field ${problem ? 'is-wrong' : ''}`}>
            <input
              class="input"
              list={`${id}-names`}
              aria-label={text.addAgent}
              aria-invalid={problem !== ''}
              aria-describedby={`${id}-below`}
              placeholder={text.addAgent}
              autoComplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => {
                setProblem('');
                setTyped(event.currentTarget.value);
              }}
              // A name taken from the browser's list is complete.
              onChange={(event) => byName.has(event.currentTarget.value) && add(event.currentTarget.value)}
            />
            <p id={`${id}-below`} class="below" role={problem ? 'alert' : undefined}>
              {problem}
            </p>
          </div>
          <Button type="submit">{text.add}</Button>
          <datalist id={`${id}-names`}>
            {(fleet ?? [])
              .filter(({ ap_id }) => !agents.includes(ap_id))
              .slice(0, maxOffered)
              .map(({ ap_id }) => (
                <option key={ap_id} value={ap_id} />
              ))}
          </datalist>
        </form>
      )}
    </div>
  );
}

export function ComparePage() {
  const [agentText, setAgents] = useQueryState('agents');
  const [metricText, setMetrics] = useQueryState('metrics');
  const agents = useMemo(() => readList(agentText, maxAgents), [agentText]);
  const metrics = useMemo(() => readList(metricText, maxMetrics), [metricText]);
  const { agents: fleet } = useFleet();
  const [zoom, setZoom] = useZoom();
  const [isPaused, setPaused] = useState(false);
  const offer = useOfferedMetrics(agents, fleet);
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
                hasCaption={false}
                onZoom={setZoom}
              />
            );
          })}
          <ChartCaption
            lines={[...(series.lines?.values() ?? [])].flat()}
            resolutionSeconds={series.resolutionSeconds}
          />
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
