// The links of a device over time: a lane for each access point, a band while it served the device, and below them what was tried
// to move it.
import { useMemo } from 'preact/hooks';
import type { DeviceDetails } from '../../../api/client.ts';
import { AgentName } from '../../../components/agent-name.tsx';
import type { TimeRange } from '../../../components/chart/chart.tsx';
import { percentOf } from '../../../components/chart/chart-shape.ts';
import { Glyph, technologyToken } from '../../../components/glyph.tsx';
import { agentName, technologyOf } from '../../../data/agents.ts';
import { formatMoment } from '../../../format.ts';
import { devicesText } from '../../../text/pages.ts';
import type { HistorySample } from './device-history.ts';
import { OutcomeMark } from './device-values.tsx';

const nowText = 'now';

export interface Span {
  from: number;
  to: number;
}

export interface LinkBand {
  ap_id: string;
  /** Oldest first; they do not touch. */
  spans: Span[];
  isNow: boolean;
}

export interface ServedAt {
  at: number;
  ap_id: string;
}

/** Reports further apart than this say nothing about the time between them. */
const maxGapSeconds = 60;
/** Moments of one link as moves and reports tell them may be this far apart. */
const slackSeconds = 2;

type Told = Pick<DeviceDetails, 'moves' | 'links' | 'last_seen'>;

/** Those in the range; attached now first, then by when they were left. */
export function linkBands(told: Told, history: readonly ServedAt[], range: Span): LinkBand[] {
  const spans = new Map<string, Span[]>();
  const add = (ap_id: string, span: Span) => {
    const list = spans.get(ap_id) ?? [];
    spans.set(ap_id, list);
    list.push(span);
  };
  for (const [ap_id, span] of fromMoves(told, range)) add(ap_id, span);
  for (const [ap_id, span] of fromHistory(history)) add(ap_id, span);
  const now = new Set(told.links.map(({ ap_id }) => ap_id));
  for (const { ap_id, since } of told.links) add(ap_id, { from: Math.min(seconds(since), range.to), to: range.to });
  return [...spans]
    .map(([ap_id, list]) => ({ ap_id, spans: joined(list, range), isNow: now.has(ap_id) }))
    .filter((band) => band.spans.length > 0)
    .sort((a, b) => Number(b.isNow) - Number(a.isNow) || b.spans.at(-1)!.to - a.spans.at(-1)!.to);
}

/** Spans that have ended; those that go on are known from the links. */
function* fromMoves({ moves, links, last_seen }: Told, range: Span): Iterable<[string, Span]> {
  const open = new Map<string, number>();
  const known = new Set<string>();
  const oldestFirst = [...moves].sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts));
  const close = (ap_id: string, at: number): [string, Span] | undefined => {
    // One that was there before anything is told of it.
    const from = open.get(ap_id) ?? (known.has(ap_id) ? undefined : Math.min(range.from, at));
    open.delete(ap_id);
    known.add(ap_id);
    return from === undefined ? undefined : [ap_id, { from, to: at }];
  };
  for (const { ts, kind, ap_id, from } of oldestFirst) {
    const at = seconds(ts);
    const left = kind === 'left' ? ap_id : from;
    const closed = left === undefined ? undefined : close(left, at);
    if (closed) yield closed;
    if (kind === 'left') continue;
    if (!open.has(ap_id)) open.set(ap_id, at);
    known.add(ap_id);
  }
  // Its end was not told, such as when the access point went away.
  const now = new Set(links.map(({ ap_id }) => ap_id));
  for (const [ap_id, from] of open) {
    if (!now.has(ap_id)) yield [ap_id, { from, to: Math.max(from, seconds(last_seen)) }];
  }
}

function* fromHistory(history: readonly ServedAt[]): Iterable<[string, Span]> {
  const open = new Map<string, Span>();
  for (const { ap_id, at } of [...history].sort((a, b) => a.at - b.at)) {
    const span = open.get(ap_id);
    if (span && at - span.to <= maxGapSeconds) {
      span.to = at;
      continue;
    }
    if (span) yield [ap_id, span];
    open.set(ap_id, { from: at, to: at });
  }
  yield* open;
}

/** In the range, in order; those that touch are one. */
function joined(spans: readonly Span[], range: Span): Span[] {
  const inside = spans
    .map(({ from, to }) => ({ from: Math.max(from, range.from), to: Math.min(to, range.to) }))
    .filter(({ from, to }) => from <= to)
    .sort((a, b) => a.from - b.from);
  const merged: Span[] = [];
  for (const span of inside) {
    const last = merged.at(-1);
    if (last && span.from <= last.to + slackSeconds) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged;
}

function seconds(time: string): number {
  return Date.parse(time) / 1000;
}

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
    <section class="card link-bands" aria-label="Access points that served the device, over time">
      <h2>Links over time</h2>
      {bands.length === 0 && <p class="soft">No links in this time window.</p>}
      <div class="band-lanes">
        {bands.map((band) => (
          <BandLane key={band.ap_id} band={band} range={range} type={types.get(band.ap_id)} />
        ))}
        {tried.length > 0 && (
          <>
            <span class="band-name soft">Steering</span>
            <div class="band-lane">
              {tried.map(({ ts, outcome, target, command_id }) => {
                const to = target === undefined ? '' : devicesText.past.to + agentName(target);
                const words = `${formatMoment(ts)}: ${devicesText.past.steered.trim()}${to}: ${devicesText.outcomes[outcome]}`;
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
            <span>{nowText}</span>
          </span>
        )}
      </div>
      <p class="faint small">
        {device.watched_until
          ? 'Moves are kept for 24 hours; the history as long as the device is watched.'
          : 'Moves are kept for 24 hours.'}
      </p>
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
          const words = `${agentName(ap_id)} from ${from <= range.from ? 'before' : formatMoment(from * 1000)} to ${isOpen ? nowText : formatMoment(to * 1000)}`;
          return (
            <i
              key={from}
              class="band"
              role="img"
              aria-label={words}
              title={words}
              style={{
                left: `${left}%`,
                width: `${Math.max(leastPercent, percentOf(to, range) - left)}%`,
                background: `var(${technologyToken(technology)})`,
              }}
            />
          );
        })}
      </div>
    </>
  );
}
