// What serves a device now, what it hears, and where it moved.
import type { DeviceDetails, DeviceMove, SteeringAttempt } from '../../api/client.ts';
import { AgentLink, AgentName } from '../../components/agent-name.tsx';
import { Icon } from '../../components/button.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { Card, TableHead } from '../../components/page.tsx';
import { agentName, technologyOf } from '../../data/agents.ts';
import { formatExactly, formatMoment, formatValue } from '../../format.ts';
import { session } from '../../session/session.ts';
import { devicesText } from '../../text/devices.ts';
import { commandHref } from '../commands/command-marks.tsx';
import { pastEntries } from './device-history.ts';
import { Level, OutcomeMark, rateWords, Since } from './device-values.tsx';

const text = devicesText.one;

export function LinksCard({ device: { links, last_seen } }: { device: DeviceDetails }) {
  const hasAddress = links.some(({ address }) => address !== undefined);
  return (
    <Card title={text.links} look="">
      {links.length === 0 ? (
        <p class="soft">{text.noLinks(formatMoment(last_seen))}</p>
      ) : (
        <div class="links-frame">
          <table class="links-table">
            <TableHead
              titles={[
                devicesText.columns.agent,
                text.signal,
                [text.snr, 'is-extra'],
                [text.down, 'is-extra'],
                [text.up, 'is-extra'],
                devicesText.columns.since,
                hasAddress && text.address,
              ]}
            />
            <tbody>
              {links.map(({ ap_id, access_point_type, rssi_dbm, snr_db, rx_mbps, tx_mbps, since, address }) => (
                <tr key={ap_id}>
                  <td>
                    <a class="chip" href={`/agents/${encodeURIComponent(ap_id)}`}>
                      <Glyph technology={technologyOf({ access_point_type })} />
                      <AgentName ap_id={ap_id} />
                    </a>
                  </td>
                  <td>
                    <Level dbm={rssi_dbm} />
                  </td>
                  <td class="is-extra">{snr_db === null ? '–' : formatValue(snr_db, 'dB')}</td>
                  <td class="is-extra">{rateWords(tx_mbps)}</td>
                  <td class="is-extra">{rateWords(rx_mbps)}</td>
                  <td>
                    <Since at={since} />
                  </td>
                  {hasAddress && <td class="mono">{address ?? '–'}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

const heardText = devicesText.heard;
/** From hardly anything to as near as can be. */
const scale = { weakest: -100, strongest: -30 };

export function HeardCard({ heard }: Pick<DeviceDetails, 'heard'>) {
  return (
    <Card title={heardText.title} look="">
      {heard.length === 0 && <p class="soft">{heardText.none}</p>}
      <ul class="heard-list">
        {heard.map(({ ap_id, bssid, rssi_dbm, by }) => (
          <li key={`${ap_id ?? bssid} ${by}`} title={heardText.by(agentName(by))}>
            {ap_id === undefined ? (
              <span>
                <span class="mono">{bssid}</span> <span class="faint small">{heardText.unknownRadio}</span>
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

const pastText = devicesText.past;
const icons = { joined: 'plus', left: 'minus', moved: 'conflict' } as const;

export function PastCard({ device }: { device: DeviceDetails }) {
  const entries = pastEntries(device);
  return (
    <Card title={pastText.title} look="device-past">
      {entries.length === 0 && <p class="soft">{pastText.none}</p>}
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol class="past-list" tabIndex={0} aria-label={pastText.title}>
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
        {pastText.kinds[kind]}
        <AgentName ap_id={ap_id} />
        {from !== undefined && (
          <>
            {pastText.from}
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
        {pastText.steered}
        {pastText.steeredFrom}
        <AgentName ap_id={ap_id} />
        {pastText.to}
        {target === undefined ? pastText.elsewhere : <AgentName ap_id={target} />}
        {': '}
        <strong>{devicesText.outcomes[outcome]}</strong>
        {/* A command exists only for its sender and administrators, and who sent it is not told here. */}
        {session.value?.isAdmin && (
          <>
            {' · '}
            <a href={commandHref(command_id)}>{pastText.command}</a>
          </>
        )}
      </span>
    </>
  );
}
