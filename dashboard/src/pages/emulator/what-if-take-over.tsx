// Who takes over: for each access point that gets a command, which others have its devices, and how their traffic changes.

import type { Amount, TakeOver } from '../../api/operations.ts';
import { agentName } from '../../data/agent-names.ts';
import { formatCount } from '../../format/numbers.ts';
import { emulatorText } from '../../text/emulator.ts';
import { formatAmount, formatChange, notableReceivers } from './what-if-view.ts';

const text = emulatorText.whatIf;
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
        <a href={`/agents/${encodeURIComponent(agent_id)}`}>{agentName(agent_id)}</a>{' '}
        <span class="soft">{isNothing ? text.nobodyMoves : leaveWords(devices, delivered_mbps)}</span>
      </p>
      {!isNothing && (
        <table class="take-over-table">
          <thead>
            <tr>
              <th scope="col">{column.agent}</th>
              <th scope="col">{column.devices}</th>
              <th scope="col">{column.delivered}</th>
            </tr>
          </thead>
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
  const moved = formatAmount({ ...devices, mean: Math.abs(devices.mean) });
  const words = devices.mean < 0 ? text.come(moved) : text.leave(moved);
  return `${words}, ${formatChange(delivered, 'Mb/s')}`;
}
