// One access point: its connection, its metrics over time, its configuration, its commands.
import './agent-page.css';
import './agent-timeline.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { open } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { CopyableCode, JsonBlock, saveFile } from '../../../components/copyable.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import {
  attempt,
  EmptyState,
  FailureNotice,
  Skeleton,
  SkeletonLines,
  showToast,
} from '../../../components/feedback.tsx';
import { HealthMark, StateChip, TechnologyChip } from '../../../components/glyph.tsx';
import { Page, UnknownPage } from '../../../components/page.tsx';
import { TimeWindowMenu, timeWindowSeconds, useZoom } from '../../../components/time-window.tsx';
import { agentName, isSleeping, selectorOf, staleBefore, technologyOf } from '../../../data/agents.ts';
import { stateOf } from '../../../data/fleet.ts';
import { awaySince, serverNow } from '../../../data/freshness.ts';
import { useAgents } from '../../../data/lists/list-pages.ts';
import { metricWords, reportedSince } from '../../../data/metrics.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment } from '../../../format.ts';
import { navigate, type PageProps, useQueryState } from '../../../router/location.ts';
import { componentText } from '../../../text/components.ts';
import { agentsText } from '../../../text/pages.ts';
import { AgentCommands, type CommandDraft } from '../commands/agent-commands.tsx';
import { readDeclaredCommands } from '../commands/declared-commands.ts';
import { AgentConfigCard } from '../configuration/agent-config-card.tsx';
import { AgentDevicesCard } from '../devices/agent-devices-card.tsx';
import { AgentHealthCard, ConnectionFacts, ManageAgentCard } from './agent-cards.tsx';
import { AgentCharts } from './agent-charts.tsx';
import { AgentDiagnosis } from './agent-diagnosis.tsx';
import { chooseMetrics, MetricChooser, usualCount } from './metric-choice.tsx';
import { firstAfterMs, useAgentAlarms } from './use-agent-alarms.ts';

const text = { configuration: 'Configuration', metrics: 'Metrics' };

/** Of one name, as far as they are listed. */
const maxNamesakes = 20;

export function AgentPage({ params }: PageProps) {
  const ap_id = params.ap_id!;
  const presence = useOperation('metrics_presence', { query: { agents: [ap_id] } }, { pollMs: 2000 });
  const [zoom, setZoom] = useZoom();
  const [isPaused, setPaused] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<CommandDraft | undefined>(undefined);
  const alarms = useAgentAlarms(ap_id);
  const agent = useAgents(
    { selector: selectorOf([ap_id]), limit: maxNamesakes, fields: ['configuration', 'latest'] },
    { pages: 1, pollMs: () => 3000 },
  );
  const found = agent.data?.items;
  const listed = found?.find((item) => item.ap_id === ap_id);
  // What people call it stands in the address instead of its id.
  const [meant, ...others] = found && !listed ? found : [];
  const isClear = meant !== undefined && others.length === 0;
  useEffect(() => {
    const { search, hash } = location;
    if (isClear) navigate(`/agents/${encodeURIComponent(meant.ap_id)}${search}${hash}`, { isReplacing: true });
  }, [isClear, meant?.ap_id]);
  const { data: report } = useOperation('agent_health', { path: { ap_id } }, { pollMs: 15_000, firstAfterMs });
  const health = report?.health ?? listed?.health;
  const there = presence.data?.agents[0];
  const state = there && (listed?.state === 'ended' ? 'ended' : stateOf(there, isSleeping(listed?.power_state)));
  const configuration = listed?.configuration ?? {};
  const technology = technologyOf(configuration);
  const [wanted, setWanted] = useQueryState('metrics');
  // Which charts come first is known with the alarms: nothing changes places after it was shown.
  const names =
    listed && alarms.isKnown && reportedSince(listed.latest ?? {}, serverNow() - timeWindowSeconds.value * 1000);
  // Both are asked for again and again; only new names or words make new charts.
  const key = JSON.stringify([names, configuration.metrics]);
  // The key stands for names and words.
  const known = useMemo(
    () => (names || undefined)?.map((name) => ({ name, ...metricWords(configuration, name) })),
    [key],
  );
  const shown = useMemo(
    () => known && chooseMetrics(known, wanted, alarms.metrics),
    [known, wanted, alarms.metrics.join()],
  );
  const isEmulated = configuration.emulated === true;
  const mayCommand = listed?.may.includes('command') ?? false;
  const canSleep = readDeclaredCommands(configuration)?.some(({ name }) => name === 'sleep') ?? false;
  const tryOut = (next: Omit<CommandDraft, 'key'>) => {
    setDraft({ ...next, key: (draft?.key ?? 0) + 1 });
    document.getElementById('commands')?.scrollIntoView({ block: 'nearest' });
  };

  if (isClear) return <Page title={ap_id}>{null}</Page>;
  if (found && !listed) {
    const back = <a href="/agents">All access points</a>;
    const links = found.map((item) => (
      <a key={item.ap_id} class="chip" href={`/agents/${encodeURIComponent(item.ap_id)}`}>
        {item.ap_id}
      </a>
    ));
    const words =
      links.length === 0
        ? 'It may have been removed, or you do not have permission to see it. Check the name in the list.'
        : `No access point has the id ${ap_id}, and several are called so. Choose one by its id.`;
    const title = links.length === 0 ? agentName(ap_id) : ap_id;
    return <UnknownPage {...{ title, back, words, links }} unknown="Access point not found" />;
  }
  const exportCsv = async () => {
    const seconds = timeWindowSeconds.peek();
    const range = zoom ?? { from: serverNow() / 1000 - seconds, to: serverNow() / 1000 };
    await attempt(async () => {
      const response = await open('metrics_export', {
        query: { agent: ap_id, start: toMoment(range.from), end: toMoment(range.to), format: 'csv' },
      });
      saveFile(await response.blob(), `weft-${ap_id}.csv`);
      showToast({ title: 'Download started' });
    });
  };
  return (
    <Page
      title={agentName(ap_id)}
      beside={
        health && (
          <span class="chip">
            <HealthMark health={health} size={16} /> {agentsText.healthWords[health]}
          </span>
        )
      }
      lead={
        <div class="agent-head">
          <div class="agent-state">
            {listed && <TechnologyChip technology={technology} />}
            {state && <StateChip state={state} />}
            {isEmulated && <span class="tag">Emulated</span>}
            {listed && <span class="soft">{[listed.site, listed.tags.join(', ')].filter(Boolean).join(' · ')}</span>}
            {there && (
              <Reason words={state === 'asleep' ? `Asleep: it serves no devices. ${there.reason}` : there.reason} />
            )}
          </div>
          {known && shown && known.length > 0 && <MetricChooser {...{ known, shown }} onChange={setWanted} />}
        </div>
      }
      actions={
        <>
          <span class="narrow-only">
            <ButtonLink icon="commands" href="#commands" words={agentsText.one.sendCommand} />
          </span>
          <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          {isEmulated && mayCommand && canSleep && state !== 'asleep' && (
            <Button
              icon="emulator"
              onClick={() => tryOut({ command: { name: 'sleep', args: {} }, atOnce: 'what_if' })}
              words="What if it is switched off?"
            />
          )}
          <Button icon="agents" onClick={() => setOpen(true)} words="Details" />
          <ButtonLink
            icon="compare"
            href={`/compare?${new URLSearchParams({ agents: ap_id })}`}
            words={agentsText.one.compare}
          />
          <Button icon="download" onClick={exportCsv} words="Export CSV" />
          <TimeWindowMenu />
        </>
      }
    >
      {agent.failure && <FailureNotice failure={agent.failure} />}
      <AgentDiagnosis {...{ alarms, health, isEmulated, mayCommand }} causes={report?.causes} onTry={tryOut} />
      <div class="agent-grid" hidden={!alarms.isAnswered}>
        <section class="stack" aria-label={text.metrics}>
          <h2 class="visually-hidden">{text.metrics}</h2>
          {known === undefined && <ChartPlaces count={usualCount} />}
          {known?.length === 0 && (
            <div class="card agent-no-metrics">
              <EmptyState title="No values in this time window">
                Charts appear after the first report. To see older values, choose a longer time window.
              </EmptyState>
            </div>
          )}
          {known && known.length > 0 && shown?.length === 0 && <p class="soft">Choose a metric to see its chart.</p>}
          {shown && shown.length > 0 && (
            <AgentCharts
              {...{ ap_id, zoom, isPaused, state, alarms }}
              metrics={shown}
              newest={listed?.latest}
              windowSeconds={timeWindowSeconds.value}
              staleBefore={state && staleBefore(state, there)}
              onZoom={setZoom}
            />
          )}
          <AgentDevicesCard ap_id={ap_id} />
        </section>
        <aside class="stack">
          <div id="commands">
            <AgentCommands ap_id={ap_id} configuration={listed?.configuration} listed={listed} draft={draft} />
          </div>
          <AgentHealthCard report={report} />
          <AgentConfigCard ap_id={ap_id} mayManage={listed?.may.includes('manage') ?? false} />
          {listed?.may.includes('manage') && (
            <ManageAgentCard ap_id={ap_id} configuration={configuration} listed={listed} />
          )}
        </aside>
      </div>
      {isOpen && (
        <Dialog title={`Details of ${agentName(ap_id)}`} width="drawer" onClose={() => setOpen(false)}>
          <h3>Connection</h3>
          <ConnectionFacts there={there} configuration={configuration} />
          <h3>Id</h3>
          <p class="cluster">
            <CopyableCode text={ap_id} />
          </p>
          <h3>{text.configuration}</h3>
          {listed ? <JsonBlock value={configuration} label={text.configuration} /> : <SkeletonLines />}
        </Dialog>
      )}
    </Page>
  );
}

/** What Weft says of its connection; when Weft is unreachable, what it said last. */
function Reason({ words }: { words: string }) {
  const since = awaySince.value;
  return (
    <span class="soft agent-reason" title={words}>
      {since === undefined ? words : `As of ${formatMoment(since)}, not connected: ${words}`}
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
      <div class="card chart-stack" role="status" aria-label={componentText.loading}>
        {Array.from({ length: count }, (_, index) => (
          <div key={index} class="chart stacked is-place">
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
