// The links of a device over time: a lane for each access point, a band while it served the device, and below them what was tried
// to move it.
import { useMemo } from 'preact/hooks';
import type { DeviceDetails } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import type { TimeRange } from '../../components/chart/chart.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { technologyOf } from '../../data/agent-configuration.ts';
import { agentName } from '../../data/agent-names.ts';
import { formatMoment } from '../../format/times.ts';
import { devicesText } from '../../text/devices.ts';
import type { HistorySample } from './device-history.ts';
import { type LinkBand, linkBands } from './link-bands.ts';
import { OutcomeMark } from './outcome-mark.tsx';

const text = devicesText.bands;
/** A band that is shorter could not be seen. */
const leastPercent = 0.4;

interface LinkBandCardProps {
  device: DeviceDetails;
  samples: readonly HistorySample[];
  range: TimeRange;
  /** The technology of each access point, as far as it is known. */
  types: ReadonlyMap<string, string | null>;
}

export function LinkBandCard({ device, samples, range, types }: LinkBandCardProps) {
  const history = useMemo(() => samples.map(({ ts, ap_id }) => ({ ap_id, at: Date.parse(ts) / 1000 })), [samples]);
  const bands = useMemo(() => linkBands(device, history, range), [device, history, range.from, range.to]);
  const tried = device.steering.filter(({ ts }) => Date.parse(ts) / 1000 >= range.from);
  return (
    <section class="card link-bands" aria-label={text.label}>
      <h2>{text.title}</h2>
      {bands.length === 0 && <p class="soft">{text.none}</p>}
      <div class="band-lanes">
        {bands.map((band) => (
          <BandLane key={band.ap_id} band={band} range={range} type={types.get(band.ap_id)} />
        ))}
        {tried.length > 0 && (
          <>
            <span class="band-name soft">{text.steering}</span>
            <div class="band-lane">
              {tried.map(({ ts, outcome, target, command_id }) => {
                const to = target === undefined ? '' : devicesText.past.to + agentName(target);
                const words = `${formatMoment(Date.parse(ts))}: ${devicesText.past.steered.trim()}${to}: ${devicesText.outcomes[outcome]}`;
                return (
                  <span
                    key={command_id}
                    class="band-mark"
                    role="img"
                    aria-label={words}
                    title={words}
                    style={{ left: `${percentOf(Date.parse(ts) / 1000, range)}%` }}
                  >
                    <OutcomeMark outcome={outcome} />
                  </span>
                );
              })}
            </div>
          </>
        )}
        {bands.length > 0 && (
          <span class="band-axis faint small" aria-hidden="true">
            <span>{formatMoment(range.from * 1000)}</span>
            <span>{formatMoment(((range.from + range.to) / 2) * 1000)}</span>
            <span>{text.now}</span>
          </span>
        )}
      </div>
      <p class="faint small">{device.watched_until ? text.keptWatched : text.kept}</p>
    </section>
  );
}

interface BandLaneProps {
  band: LinkBand;
  range: TimeRange;
  type: string | null | undefined;
}

function BandLane({ band: { ap_id, spans, isNow }, range, type }: BandLaneProps) {
  const technology = technologyOf({ access_point_type: type });
  return (
    <>
      <a class="band-name chip" href={`/agents/${encodeURIComponent(ap_id)}`}>
        <Glyph technology={technology} state={isNow ? 'online' : 'never'} />
        <AgentName ap_id={ap_id} />
      </a>
      <div class="band-lane">
        {spans.map(({ from, to }) => {
          const left = percentOf(from, range);
          const isOpen = isNow && to >= range.to;
          const words = text.span(
            agentName(ap_id),
            from <= range.from ? text.before : formatMoment(from * 1000),
            isOpen ? text.now : formatMoment(to * 1000),
          );
          return (
            <i
              key={from}
              class={`band ${technology ? `is-${technology.toLowerCase()}` : ''}`}
              role="img"
              aria-label={words}
              title={words}
              style={{ left: `${left}%`, width: `${Math.max(leastPercent, percentOf(to, range) - left)}%` }}
            />
          );
        })}
      </div>
    </>
  );
}

function percentOf(seconds: number, { from, to }: TimeRange): number {
  return Math.max(0, Math.min(100, (100 * (seconds - from)) / (to - from)));
}
