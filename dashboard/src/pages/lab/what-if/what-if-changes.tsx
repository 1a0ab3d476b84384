// What commands would change: the metrics that change most, with and without them and how certain that is, and who takes over the
// devices of each access point that gets a command.
import { useMemo } from 'preact/hooks';
import type { Comparison, WhatIfAnswer } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { TableHead } from '../../../components/page.tsx';
import { agentName } from '../../../data/agents.ts';
import { type FleetAgent, useFleet } from '../../../data/fleet.ts';
import { metricWords } from '../../../data/metrics.ts';
import { formatCount, formatValue } from '../../../format.ts';
import { LazyFleetMap } from '../../../map/lazy-fleet-map.tsx';
import { emulatorText } from '../../../text/pages.ts';
import {
  amountOf,
  biggestChanges,
  type Change,
  formatAmount,
  formatChange,
  isCertain,
  movesIn,
  negated,
  notableReceivers,
} from './what-if-view.ts';

const text = {
  uncertain: 'may be chance',
  changes: 'Largest changes',
  goTo: (count: string, to: string) => `${count} go to ${to}`,
  comeFrom: (count: string, from: string) => `${count} come from ${from}`,
};

const shownChanges = 12;

export function WhatIfChanges({ answer, agents }: { answer: WhatIfAnswer; agents: readonly FleetAgent[] }) {
  const changes = useMemo(() => biggestChanges(answer, shownChanges), [answer]);
  const configurations = new Map(agents.map(({ ap_id, configuration }) => [ap_id, configuration]));
  if (changes.length === 0) return <p class="soft">The commands change nothing.</p>;
  return (
    <section class="stack">
      <div>
        <h3>{text.changes}</h3>
        {!answer.exact && (
          <p class="soft small">
            Bold: the mean difference is not chance. In brackets: what you will see, in nine of ten cases.
          </p>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="plain-table-frame" tabIndex={0} role="region" aria-label={text.changes}>
        <table class="plain-table what-if-changes">
          <TableHead
            titles={[
              'Access point',
              'Metric',
              ['Without', 'end is-wide'],
              ['With', 'end is-wide'],
              ['Difference', 'end'],
            ]}
          />
          <tbody>
            {changes.map((change) => (
              <ChangeRow
                key={`${change.agent_id} ${change.metric}`}
                change={change}
                {...metricWords(configurations.get(change.agent_id) ?? {}, change.metric)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ChangeRow({ change, label, unit }: { change: Change; label: string; unit: string }) {
  const { agent_id, with: after, without, change: difference, isCertain } = change;
  return (
    <tr class={isCertain ? 'is-certain' : 'soft'}>
      <td>
        <AgentLink ap_id={agent_id} />
      </td>
      <td>
        {label}
        <span class="is-narrow small faint">{`${formatAmount(without, unit)} → ${formatAmount(after, unit)}`}</span>
      </td>
      <td class="end is-wide">{formatAmount(without, unit)}</td>
      <td class="end is-wide">{formatAmount(after, unit)}</td>
      <td class="end">
        {isCertain ? <strong>{formatChange(difference, unit)}</strong> : formatChange(difference, unit)}
        {!isCertain && <span class="what-if-doubt small faint">{text.uncertain}</span>}
      </td>
    </tr>
  );
}

/** Of the whole network. */
export function WhatIfFigures({ totals: { served, delivered_mbps, power_w } }: Pick<WhatIfAnswer, 'totals'>) {
  return (
    <dl class="what-if-figures">
      <Figure label="Devices served" both={served} unit="" />
      <Figure label="Throughput" both={delivered_mbps} unit="Mb/s" />
      <Figure label="Power" both={power_w} unit="W" />
    </dl>
  );
}

/** What it changes by, and below it what it is then. */
function Figure({ label, both, unit }: { label: string; both: Comparison; unit: string }) {
  const [after, without, change] = (['with', 'without', 'change'] as const).map((side) => amountOf(both, side)!);
  const words = formatChange(change!, unit, 1);
  const isNone = !/[1-9]/.test(words);
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <strong>{isNone ? 'no difference' : words}</strong>
        <span class="small faint">
          {`${formatValue(after!.mean, unit)} instead of ${formatValue(without!.mean, unit)}`}
          {!isNone && !isCertain(change!) && `; ${text.uncertain}`}
        </span>
      </dd>
    </div>
  );
}

/** Where the devices of each that gets a command go, or come from: of so many, and to the first so many. Nobody else is told. */
export function movesInWords({ took_over }: Pick<WhatIfAnswer, 'took_over'>, most = Infinity): string[] {
  return took_over.slice(0, most).flatMap((takeOver) => {
    const { to, others, unserved } = notableReceivers(takeOver);
    const parts = to.slice(0, most).map(({ agent_id, devices }) => {
      const [words, amount] = devices.mean > 0 ? [text.goTo, devices] : [text.comeFrom, negated(devices)];
      return words(formatAmount(amount, '', 1), agentName(agent_id));
    });
    if (others && most > to.length) {
      parts.push(text.goTo(formatAmount(others.devices, '', 1), formatCount(others.access_points, 'other')));
    }
    if (unserved && unserved.mean > 0) parts.push(`${formatAmount(unserved, '', 1)} find no access point`);
    return parts.length === 0 ? [] : [`Devices of ${agentName(takeOver.agent_id)}: ${parts.join(', ')}.`];
  });
}

export function TakeOvers({ answer }: { answer: WhatIfAnswer }) {
  const sentences = movesInWords(answer);
  return (
    <section class="stack">
      <h3>Who takes over</h3>
      {sentences.length === 0 && <p class="soft">{emulatorText.whatIf.nobody}</p>}
      <MovesMap answer={answer} />
      <ul class="plain-list">
        {sentences.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </section>
  );
}

/** Where they go, on a map of those that they leave and that take them. */
export function MovesMap({ answer }: { answer: WhatIfAnswer }) {
  const { agents } = useFleet();
  const moves = useMemo(() => movesIn(answer), [answer]);
  const shown = useMemo(() => {
    const ends = new Set(moves.flatMap(({ from, to }) => [from, to]));
    return (agents ?? []).filter(({ ap_id, geolocation }) => geolocation && ends.has(ap_id));
  }, [agents, moves]);
  if (shown.length === 0) return null;
  return (
    <figure class="what-if-map">
      <div role="img" aria-label="Map of the devices that would move">
        <LazyFleetMap agents={shown} isStill moves={moves} />
      </div>
      <figcaption class="faint small">
        An arrow: so many devices would go there. ✕: so many would find no access point. In brackets: nine of ten cases.
      </figcaption>
    </figure>
  );
}
