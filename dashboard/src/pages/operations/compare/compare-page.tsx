// Several agents side by side: a chart for each measurement, a line for each agent, one axis of time. The address has it
// all: `?agents=a,b&metrics=x,y&window=1h`.
import { SuggestionList } from '../../../components/forms/fields.tsx';
import './compare-page.css';
import { useId, useMemo, useState } from 'preact/hooks';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { Chart, ChartCaption } from '../../../components/chart/chart.tsx';
import type { ChartLine } from '../../../components/chart/chart-shape.ts';
import { EmptyState, FailureNotice, Notice, SkeletonLines } from '../../../components/feedback.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { Card, Page } from '../../../components/page.tsx';
import { TimeWindowMenu, timeWindowSeconds, useZoom } from '../../../components/time-window.tsx';
import { agentName, findAgent } from '../../../data/agents.ts';
import { type FleetAgent, useFleet } from '../../../data/fleet.ts';
import { labelWithoutUnit, unitOf } from '../../../format.ts';
import { type PageProps, useQueryState } from '../../../router/location.ts';
import {
  maxAgents,
  maxMetrics,
  type OfferedMetric,
  readList,
  useCompareSeries,
  useOfferedMetrics,
  usualOf,
} from './compare-series.ts';

const text = {
  metrics: 'Metrics',
  addAgent: 'Add an access point',
  unknown: 'No access point has this name, or several have it: write the name in full, or the id',
};

interface AgentPickerProps {
  agents: readonly string[];
  fleet: readonly FleetAgent[] | undefined;
  onChange: (agents: string[]) => void;
}

// More would make the browser's list slow; typing narrows it anyway.
const maxOffered = 500;

export function AgentPicker({ agents, fleet, onChange }: AgentPickerProps) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const id = useId();
  const byId = new Map(fleet?.map((agent) => [agent.ap_id, agent]));
  const others = (fleet ?? []).filter(({ ap_id }) => !agents.includes(ap_id));
  const names = others.slice(0, maxOffered).map(({ ap_id }) => agentName(ap_id));
  const add = (name: string) => {
    const ap_id = fleet ? findAgent(fleet, name)?.ap_id : name;
    if (name === '' || (ap_id !== undefined && agents.includes(ap_id))) return setTyped('');
    if (ap_id === undefined) return setProblem(text.unknown);
    setTyped('');
    onChange([...agents, ap_id]);
  };
  return (
    <div class="stack">
      {agents.length > 0 && (
        <ul class="compare-agents">
          {agents.map((ap_id) => (
            <li key={ap_id}>
              <Glyph technology={byId.get(ap_id)?.technology} state={byId.get(ap_id)?.state ?? 'never'} />
              <AgentLink ap_id={ap_id} />
              <IconButton
                icon="close"
                label={`Remove ${agentName(ap_id)}`}
                onClick={() => onChange(agents.filter((each) => each !== ap_id))}
              />
            </li>
          ))}
        </ul>
      )}
      {agents.length >= maxAgents ? (
        <p class="faint">{`Maximum: ${maxAgents}. Remove one to add another.`}</p>
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
              autoCapitalize="none"
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
              onChange={(event) => names.includes(event.currentTarget.value) && add(event.currentTarget.value)}
            />
            <p id={`${id}-below`} class="below" role={problem ? 'alert' : undefined}>
              {problem}
            </p>
          </div>
          <Button type="submit">Add</Button>
          <SuggestionList id={`${id}-names`} suggestions={names} />
        </form>
      )}
    </div>
  );
}

export function ComparePage({ title }: PageProps) {
  const [agentText, setAgents] = useQueryState('agents');
  const [metricText, setMetrics] = useQueryState('metrics');
  const { agents: fleet, failure } = useFleet();
  // An address may have names: of somebody who wrote it, or who was faster than the list.
  const known = readList(agentText, maxAgents).map((name) => (fleet && findAgent(fleet, name)?.ap_id) ?? name);
  const agents = useMemo(() => known, [known.join()]);
  const [zoom, setZoom] = useZoom();
  const [isPaused, setPaused] = useState(false);
  const offer = useOfferedMetrics(agents, fleet ?? (failure && []));
  const chosen = readList(metricText, maxMetrics);
  const metrics = chosen.length > 0 ? chosen : usualOf(offer.metrics ?? []);
  const series = useCompareSeries({ agents, metrics, windowSeconds: timeWindowSeconds.value, zoom, isPaused });
  const labels = new Map(offer.metrics?.map(({ name, label }) => [name, label]));
  return (
    <Page
      title={title}
      actions={
        <>
          {agents.length > 0 && (
            <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          )}
          <TimeWindowMenu />
        </>
      }
    >
      <Card title="Access points" look="compare-choice">
        <AgentPicker {...{ agents, fleet }} onChange={(next) => setAgents(next.join(','))} />
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
      </Card>
      {offer.unknown.map((name) => (
        <Notice key={name} kind="warning" title={text.unknown}>
          <code>{name}</code>
        </Notice>
      ))}
      {series.failure && series.failure.status !== 404 && <FailureNotice failure={series.failure} />}
      {agents.length === 0 && (
        <EmptyState title="Choose access points to compare">
          Each chart shows one metric, with one line per access point. The address of this page contains your selection,
          so you can share it.
        </EmptyState>
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
                labels={agents.map(agentName)}
                lines={named(series.lines?.get(name))}
                range={series.range}
                resolutionSeconds={series.resolutionSeconds}
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

/** The lines, each with what people call its access point. */
function named(lines: readonly ChartLine[] | undefined): ChartLine[] | undefined {
  return lines?.map((line) => ({ ...line, label: agentName(line.name) }));
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
  if (all.length === 0)
    return <p class="soft">No reports in this time window. To see older values, choose a longer time window.</p>;
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
            {count < agentCount && <span class="faint">{`${count} of ${agentCount}`}</span>}
          </Button>
        );
      })}
    </div>
  );
}
