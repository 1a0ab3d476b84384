// What commands would change: the metrics that change most, with and without them and how certain that is, and who takes over the
// devices of each access point that gets a command.
import { useMemo } from 'preact/hooks';
import type { Amount, TakeOver, WhatIfAnswer } from '../../api/client.ts';
import { AgentLink } from '../../components/agent-name.tsx';
import { TableHead } from '../../components/page.tsx';
import { agentName } from '../../data/agents.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { metricWords } from '../../data/metrics.ts';
import { formatCount } from '../../format.ts';
import { emulatorText } from '../../text/emulator.ts';
import { biggestChanges, type Change, formatAmount, formatChange, notableReceivers } from './what-if-view.ts';

const text = emulatorText.whatIf;
const shownChanges = 12;

export function WhatIfChanges({ answer, agents }: { answer: WhatIfAnswer; agents: readonly FleetAgent[] }) {
  const changes = useMemo(() => biggestChanges(answer, shownChanges), [answer]);
  const configurations = new Map(agents.map(({ ap_id, configuration }) => [ap_id, configuration]));
  const column = text.column;
  if (changes.length === 0) return <p class="soft">{text.noChanges}</p>;
  return (
    <section class="stack">
      <div>
        <h3>{text.changes}</h3>
        {!answer.exact && <p class="soft small">{text.intervalWords}</p>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="plain-table-frame" tabIndex={0} role="region" aria-label={text.changes}>
        <table class="plain-table what-if-changes">
          <TableHead
            titles={[
              column.agent,
              column.metric,
              [column.without, 'end is-wide'],
              [column.with, 'end is-wide'],
              [column.difference, 'end'],
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
        <span class="is-narrow small faint">{text.fromTo(formatAmount(without, unit), formatAmount(after, unit))}</span>
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

const countDigits = 2;

export function TakeOvers({ takeOvers }: { takeOvers: readonly TakeOver[] }) {
  if (takeOvers.length === 0) return null;
  return (
    <section class="stack">
      <h3>{text.tookOver}</h3>
      <ul class="take-overs">
        {takeOvers.map((takeOver) => (
          <TakeOverItem key={takeOver.agent_id} takeOver={takeOver} />
        ))}
      </ul>
    </section>
  );
}

function TakeOverItem({ takeOver }: { takeOver: TakeOver }) {
  const { agent_id, devices, delivered_mbps } = takeOver;
  const { to, others, unserved } = notableReceivers(takeOver);
  const most = Math.max(...[...to, ...(others ? [others] : [])].map((each) => Math.abs(each.devices.mean)), 1e-9);
  const isNothing = to.length === 0 && !unserved;
  const column = text.column;
  return (
    <li>
      <p>
        <AgentLink ap_id={agent_id} />{' '}
        <span class="soft">{isNothing ? text.nobodyMoves : leaveWords(devices, delivered_mbps)}</span>
      </p>
      {!isNothing && (
        <table class="take-over-table">
          <TableHead titles={[column.agent, column.devices, column.delivered]} />
          <tbody>
            {to.map((each) => (
              <Receiver key={each.agent_id} name={agentName(each.agent_id)} {...each} most={most} />
            ))}
            {others && <Receiver name={formatCount(others.access_points, 'other')} {...others} most={most} />}
            {unserved && (
              <tr class="late-ink">
                <td>{text.unserved}</td>
                <td>{formatChange(unserved, '', countDigits)}</td>
                <td />
              </tr>
            )}
          </tbody>
        </table>
      )}
    </li>
  );
}

interface ReceiverProps {
  name: string;
  devices: Amount;
  delivered_mbps: Amount;
  most: number;
}

function Receiver({ name, devices, delivered_mbps, most }: ReceiverProps) {
  return (
    <tr>
      <td>
        {name}
        <span class="take-over-bar" aria-hidden="true">
          <span style={{ width: `${Math.round((100 * Math.abs(devices.mean)) / most)}%` }} />
        </span>
      </td>
      <td>{formatChange(devices, '', countDigits)}</td>
      <td class="soft">{formatChange(delivered_mbps, '', countDigits)}</td>
    </tr>
  );
}

function leaveWords(devices: Amount, delivered: Amount): string {
  const { mean, range } = devices;
  const moved = formatAmount(
    mean < 0 ? { mean: -mean, ...(range && { range: range.map((end) => -end).reverse() }) } : devices,
  );
  const words = devices.mean < 0 ? text.come(moved) : text.leave(moved);
  return `${words}, ${formatChange(delivered, 'Mb/s')}`;
}
