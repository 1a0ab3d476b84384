// What serves a device now, what it hears, and where it moved.
import type { DeviceDetails, DeviceMove, SteeringAttempt } from '../../../api/client.ts';
import { AgentLink, AgentName } from '../../../components/agent-name.tsx';
import { Icon } from '../../../components/button.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { Card, PlainTable } from '../../../components/page.tsx';
import { agentName, technologyOf } from '../../../data/agents.ts';
import { formatExactly, formatMoment, formatValue } from '../../../format.ts';
import { session } from '../../../session/session.ts';
import { devicesText } from '../../../text/pages.ts';
import { commandHref } from '../commands/command-marks.tsx';
import { pastEntries } from './device-history.ts';
import { Level, OutcomeMark, rateWords, Since } from './device-values.tsx';

const title = 'Moves and steering';
const kinds = { joined: 'Joined ', left: 'Left ', moved: 'Moved to ' };

export function LinksCard({ device: { links, last_seen } }: { device: DeviceDetails }) {
  const hasAddress = links.some(({ address }) => address !== undefined);
  return (
    <Card title="Links now" look="">
      {links.length === 0 ? (
        <p class="soft">{`Not attached. Last seen at ${formatMoment(last_seen)}.`}</p>
      ) : (
        <div class="links-frame">
          <PlainTable
            look="links-table"
            titles={[
              devicesText.columns.agent,
              'Signal',
              ['SNR', 'is-extra'],
              ['To the device', 'is-extra'],
              ['From the device', 'is-extra'],
              devicesText.columns.since,
              hasAddress && 'Address',
            ]}
            rows={links.map(({ ap_id, access_point_type, rssi_dbm, snr_db, rx_mbps, tx_mbps, since, address }) => [
              <a key="name" class="chip" href={`/agents/${encodeURIComponent(ap_id)}`}>
                <Glyph technology={technologyOf({ access_point_type })} />
                <AgentName ap_id={ap_id} />
              </a>,
              <Level key="signal" dbm={rssi_dbm} />,
              snr_db === null ? '–' : formatValue(snr_db, 'dB'),
              rateWords(tx_mbps),
              rateWords(rx_mbps),
              <Since key="since" at={since} />,
              <span key="address" class="mono" children={address ?? '–'} />,
            ])}
          />
        </div>
      )}
    </Card>
  );
}

/** From hardly anything to as near as can be. */
const scale = { weakest: -100, strongest: -30 };

export function HeardCard({ heard }: Pick<DeviceDetails, 'heard'>) {
  return (
    <Card title="What it hears" look="">
      {heard.length === 0 && <p class="soft">Nothing is known about what it hears around it.</p>}
      <ul class="heard-list">
        {heard.map(({ ap_id, bssid, rssi_dbm, by }) => (
          <li key={`${ap_id ?? bssid} ${by}`} title={`reported by ${agentName(by)}`}>
            {ap_id === undefined ? (
              <span>
                <span class="mono">{bssid}</span> <span class="faint small">unknown radio</span>
              </span>
            ) : (
              <AgentLink ap_id={ap_id} />
            )}
            <span class="heard-level" aria-hidden="true">
              <i style={{ width: `${100 * shareOf(rssi_dbm)}%` }} />
            </span>
            <span class="heard-value">
              <Level dbm={rssi_dbm} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function shareOf(dbm: number | null): number {
  if (dbm === null) return 0;
  return Math.max(0.02, Math.min(1, (dbm - scale.weakest) / (scale.strongest - scale.weakest)));
}

const icons = { joined: 'plus', left: 'minus', moved: 'conflict' } as const;

export function PastCard({ device }: { device: DeviceDetails }) {
  const entries = pastEntries(device);
  return (
    <Card title={title} look="device-past">
      {entries.length === 0 && <p class="soft">Nothing in the last 24 hours.</p>}
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="past-list" tabIndex={0} aria-label={title}>
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
    </Card>
  );
}

function Move({ move: { kind, ap_id, from } }: { move: DeviceMove }) {
  return (
    <>
      <Icon name={icons[kind]} size={14} />
      <span>
        {kinds[kind]}
        <AgentName ap_id={ap_id} />
        {from !== undefined && (
          <>
            {' from '}
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
        {devicesText.past.steered}
        {'from '}
        <AgentName ap_id={ap_id} />
        {devicesText.past.to}
        {target === undefined ? 'elsewhere' : <AgentName ap_id={target} />}
        {': '}
        <strong>{devicesText.outcomes[outcome]}</strong>
        {/* A command exists only for its sender and administrators, and who sent it is not told here. */}
        {session.value?.isAdmin && (
          <>
            {' · '}
            <a href={commandHref(command_id)}>Command</a>
          </>
        )}
      </span>
    </>
  );
}
