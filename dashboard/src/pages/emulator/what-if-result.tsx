// What a look ahead has shown: the network with the commands beside the network without them.
import { useMemo, useState } from 'preact/hooks';
import type { WhatIfAnswer } from '../../api/operations.ts';
import { Chart, type TimeRange } from '../../components/chart/chart.tsx';
import { StatCard } from '../../components/layout/stat-card.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { metricWords } from '../../data/metric-words.ts';
import { formatCount, formatNumber, formatValue } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import { emulatorText } from '../../text/emulator.ts';
import { split } from './run-counters.tsx';
import { nameInRun } from './run-words.ts';
import { biggestChanges, meanOf, timelineLines } from './what-if-view.ts';

const text = emulatorText.whatIf;
const shownChanges = 12;
const labels = { with: text.with, without: text.without };

interface WhatIfResultProps {
  answer: WhatIfAnswer;
  agents: readonly FleetAgent[];
}

export function WhatIfResult({ answer, agents }: WhatIfResultProps) {
  const [zoom, setZoom] = useState<TimeRange | undefined>(undefined);
  const { totals, minutes, model_time } = answer;
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
      <h3>{text.result(formatCount(minutes, 'minute'))}</h3>
      <div class="stat-grid">
        <Compared label={text.served} both={totals.served} unit="" />
        <Compared label={text.power} both={totals.power_w} unit="W" />
        <Compared label={text.delivered} both={meanOf(answer, 'delivered_mbps')} unit="Mb/s" />
      </div>
      <Outcomes results={answer.results} />
      <div class="what-if-charts">
        {charts.map(({ title, unit, lines }) => (
          <Chart
            key={title}
            {...{ title, unit, lines, range }}
            resolutionSeconds={60}
            syncKey="what-if"
            isZoomed={zoom !== undefined}
            onZoom={setZoom}
          />
        ))}
      </div>
      <Changes answer={answer} agents={agents} />
    </div>
  );
}

function Compared({ label, both, unit }: { label: string; both: { with: number; without: number }; unit: string }) {
  const difference = both.with - both.without;
  const isSame = formatValue(both.with, unit) === formatValue(both.without, unit);
  const detail = isSame
    ? text.noDifference
    : `${signed(difference, unit)} · ${text.otherwise(formatValue(both.without, unit))}`;
  return <StatCard label={label} {...split(formatValue(both.with, unit))} detail={detail} />;
}

function Outcomes({ results }: { results: WhatIfAnswer['results'] }) {
  return (
    <section class="stack">
      <h3>{text.outcomes}</h3>
      <ul class="what-if-outcomes">
        {results.map((result, index) => (
          <li key={index}>
            {nameInRun(String(result.agent_id))}: {String(result.name)} <span class="soft">{outcomeWords(result)}</span>
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

function Changes({ answer, agents }: WhatIfResultProps) {
  const changes = useMemo(() => biggestChanges(answer, shownChanges), [answer]);
  const configurations = new Map(agents.map(({ ap_id, configuration }) => [ap_id, configuration]));
  const column = text.column;
  if (changes.length === 0) return <p class="soft">{text.noChanges}</p>;
  return (
    <section class="stack">
      <h3>{text.changes}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="plain-table-frame" tabIndex={0} role="region" aria-label={text.changes}>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{column.agent}</th>
              <th scope="col">{column.metric}</th>
              <th scope="col" class="end">
                {column.without}
              </th>
              <th scope="col" class="end">
                {column.with}
              </th>
              <th scope="col" class="end">
                {column.difference}
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ agent_id, metric, with: after, without }) => {
              const { label, unit } = metricWords(configurations.get(agent_id) ?? {}, metric);
              return (
                <tr key={`${agent_id} ${metric}`}>
                  <td>
                    <a href={`/agents/${encodeURIComponent(agent_id)}`}>{nameInRun(agent_id)}</a>
                  </td>
                  <td>{label}</td>
                  <td class="end">{formatValue(without, unit)}</td>
                  <td class="end">{formatValue(after, unit)}</td>
                  <td class="end">{signed(after - without, unit)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function signed(difference: number, unit: string): string {
  const written = formatValue(difference, unit);
  return difference > 0 && written !== formatNumber(0) ? `+${written}` : written;
}
