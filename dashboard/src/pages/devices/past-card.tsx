// What happened to a device in the last day: where it joined, left and moved, and what came of attempts to steer it.
import type { DeviceDetails, DeviceMove, SteeringAttempt } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatExactly, formatMoment } from '../../format/times.ts';
import { session } from '../../session/session.ts';
import { devicesText } from '../../text/devices.ts';
import { commandHref } from '../commands/command-link.tsx';
import { pastEntries } from './device-history.ts';
import { OutcomeMark } from './outcome-mark.tsx';

const text = devicesText.past;
const icons = { joined: 'plus', left: 'minus', moved: 'conflict' } as const;

export function PastCard({ device }: { device: DeviceDetails }) {
  const entries = pastEntries(device);
  return (
    <section class="card device-past">
      <h2>{text.title}</h2>
      {entries.length === 0 && <p class="soft">{text.none}</p>}
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="past-list" tabIndex={0} aria-label={text.title}>
          {entries.map((entry) => (
            <li key={'move' in entry ? `${entry.at} ${entry.move.kind} ${entry.move.ap_id}` : entry.attempt.command_id}>
              <time class="faint small" title={formatExactly(entry.at)}>
                {formatMoment(entry.at)}
              </time>
              {'move' in entry ? <Move move={entry.move} /> : <Attempt attempt={entry.attempt} />}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Move({ move: { kind, ap_id, from } }: { move: DeviceMove }) {
  return (
    <>
      <Icon name={icons[kind]} size={14} />
      <span>
        {text[kind]}
        <AgentName ap_id={ap_id} />
        {from !== undefined && (
          <>
            {text.from}
            <AgentName ap_id={from} />
          </>
        )}
      </span>
    </>
  );
}

function Attempt({ attempt: { ap_id, target, outcome, command_id } }: { attempt: SteeringAttempt }) {
  return (
    <>
      <OutcomeMark outcome={outcome} />
      <span>
        {text.steered}
        {text.steeredFrom}
        <AgentName ap_id={ap_id} />
        {text.to}
        {target === undefined ? text.elsewhere : <AgentName ap_id={target} />}
        {': '}
        <strong>{devicesText.outcomes[outcome]}</strong>
        {/* A command exists only for its sender and administrators, and who sent it is not told here. */}
        {session.value?.isAdmin && (
          <>
            {' · '}
            <a href={commandHref(command_id)}>{text.command}</a>
          </>
        )}
      </span>
    </>
  );
}
