// What a look ahead has shown: the network with the commands beside the network without them, in how many futures, and who
// takes over.
import './what-if.css';
import { useMemo, useState } from 'preact/hooks';
import type { Comparison, WhatIfAnswer } from '../../api/client.ts';
import { Chart, type TimeRange } from '../../components/chart/chart.tsx';
import { Notice } from '../../components/feedback.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { agentName } from '../../data/agents.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { formatCount, formatSpan } from '../../format.ts';
import { emulatorText } from '../../text/emulator.ts';
import { TakeOvers, WhatIfChanges } from './what-if-changes.tsx';
import { amountOf, formatAmount, formatChange, isCertain, splitAmount, timelineLines } from './what-if-view.ts';

const text = emulatorText.whatIf;
const labels = { with: text.with, without: text.without };

export function WhatIfResult({ answer, agents }: { answer: WhatIfAnswer; agents: readonly FleetAgent[] }) {
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  const { totals, minutes, model_time, ran, exact } = answer;
  const start = Date.parse(model_time) / 1000;
  const range = zoom ?? { from: start, to: start + minutes * 60 };
  const charts = useMemo(
    () =>
      (
        [
          [text.served, '', 'served'],
          [text.power, 'W', 'power_w'],
          [text.delivered, 'Mb/s', 'delivered_mbps'],
        ] as const
      ).map(([title, unit, key]) => ({ title, unit, lines: timelineLines(answer, key, labels) })),
    [answer],
  );
  return (
    <div class="stack what-if-result" aria-live="polite">
      <div>
        <h3>{text.result(formatCount(minutes, 'minute'))}</h3>
        <p class="soft">{exact ? text.exact : text.ofFutures(formatCount(ran.futures, 'future'))}</p>
      </div>
      <Limits answer={answer} />
      <div class="stat-grid">
        <Compared label={text.served} both={totals.served} unit="" />
        <Compared label={text.power} both={totals.power_w} unit="W" />
        <Compared label={text.delivered} both={totals.delivered_mbps} unit="Mb/s" />
      </div>
      <Outcomes results={answer.results} />
      <TakeOvers takeOvers={answer.took_over} />
      <div class="what-if-charts">
        {charts.map(({ title, unit, lines }) => (
          <Chart
            key={title}
            {...{ title, unit, lines, range }}
            resolutionSeconds={60}
            band="interval"
            syncKey="what-if"
            onZoom={setZoom}
          />
        ))}
      </div>
      <WhatIfChanges answer={answer} agents={agents} />
    </div>
  );
}

/** What was asked for and could not be run. */
function Limits({ answer: { asked, ran, limited_by } }: { answer: WhatIfAnswer }) {
  return (
    <>
      {limited_by.includes('computing_time') && (
        <Notice kind="warning" title={text.cutShort(extent(ran), extent(asked))} words={text.cutShortWords} />
      )}
      {limited_by.includes('answer_size') && (
        <Notice kind="warning" title={text.leftOut(formatCount(asked.agents - ran.agents, 'access point'))} />
      )}
    </>
  );
}

function extent({ minutes, futures }: WhatIfAnswer['ran']): string {
  return text.extent(formatCount(minutes, 'minute'), formatCount(futures, 'future'));
}

function Compared({ label, both, unit }: { label: string; both: Comparison; unit: string }) {
  const [after, without, change] = (['with', 'without', 'change'] as const).map((side) => amountOf(both, side)!);
  const detail = (
    <>
      {isCertain(change!) ? <strong class="ink">{formatChange(change!, unit)}</strong> : changeWords(change!, unit)}
      <br />
      {text.otherwise(formatAmount(without!, unit))}
    </>
  );
  return <StatCard label={label} {...splitAmount(after!, unit)} detail={detail} />;
}

function changeWords(change: { mean: number; plus_minus?: number }, unit: string): string {
  if (change.mean === 0) return text.noDifference;
  return `${formatChange(change, unit)}: ${text.uncertain}`;
}

function Outcomes({ results }: { results: WhatIfAnswer['results'] }) {
  return (
    <section class="stack">
      <h3>{text.outcomes}</h3>
      <ul class="what-if-outcomes">
        {results.map((result, index) => (
          <li key={index}>
            {agentName(String(result.agent_id))}: {String(result.name)} <span class="soft">{outcomeWords(result)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomeWords({ state, reason, settles_in_seconds }: Record<string, unknown>): string {
  if (state === 'failed') return text.failed(String(reason ?? ''));
  if (state === 'unanswered') return text.unanswered;
  const settles = typeof settles_in_seconds === 'number' && settles_in_seconds > 0;
  return settles ? `${text.succeeded}, ${text.settles(formatSpan(settles_in_seconds, 2))}` : text.succeeded;
}
