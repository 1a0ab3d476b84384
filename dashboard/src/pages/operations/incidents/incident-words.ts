// An incident in words and as a bar in time. Pure.
import type { Incident, IncidentCause } from '../../../api/client.ts';
import { formatMoment, formatNumber, formatSpan } from '../../../format.ts';

const causeWords: Record<IncidentCause, string> = {
  site_away: 'Site away',
  access_point_away: 'Access point away',
  backhaul: 'Connection cut',
  crash: 'Down',
  jammed_channel: 'Jammed channel',
  failed_rollout: 'Failed roll-out',
  conflict: 'Programs in conflict',
  overload: 'Overload',
  weak_signal: 'Weak signal',
  blocked: 'Light blocked',
  power: 'Power',
  clock: 'Wrong clock',
  reports: 'Too many reports',
  weft: 'Weft itself',
  unknown: 'No cause found',
};

type Words = Pick<Incident, 'cause' | 'confidence'>;

/** `Jammed channel, very likely (95 %)`. */
export function causeSentence({ cause, confidence }: Words): string {
  if (cause === 'unknown' || confidence === 0) return causeWords[cause];
  const sure = confidence >= 0.9 ? 'very likely' : confidence >= 0.7 ? 'likely' : 'possible';
  return `${causeWords[cause]}, ${sure} (${Math.round(confidence * 100)} %)`;
}

/** `24 access points, 163 devices lost service`. */
export function affectedSentence({
  access_points,
  devices_affected,
}: Pick<Incident, 'access_points' | 'devices_affected'>): string {
  const lost =
    devices_affected === 0
      ? 'no device lost service'
      : `${formatNumber(devices_affected)} device${devices_affected === 1 ? '' : 's'} lost service`;
  if (access_points === 0) return lost;
  return `${formatNumber(access_points)} access point${access_points === 1 ? '' : 's'}, ${lost}`;
}

export function whenSentence(
  { started_at, ended_at }: Pick<Incident, 'started_at' | 'ended_at'>,
  nowMs: number,
): string {
  const from = Date.parse(started_at);
  const seconds = Math.max(1, ((ended_at === null ? nowMs : Date.parse(ended_at)) - from) / 1000);
  const moment = formatMoment(from, nowMs).replace(/:\d\d$/, '');
  return ended_at === null ? `since ${moment}, ${formatSpan(seconds)}` : `${moment}, for ${formatSpan(seconds)}`;
}

const stateRank = { open: 0, acknowledged: 1, ended: 2 };

/** What somebody has to look after comes first, and of those the one that most devices suffer from; then the newest. */
export function byUrgency(a: Incident, b: Incident): number {
  return (
    stateRank[a.state] - stateRank[b.state] ||
    (a.state === 'ended' ? 0 : b.devices_affected - a.devices_affected) ||
    Date.parse(b.started_at) - Date.parse(a.started_at)
  );
}

export interface Bar<Item> {
  item: Item;
  /** In per cent of the band. */
  left: number;
  width: number;
  lane: number;
}

/** A bar is at least so wide, in per cent: it must be seen and hit. */
const minWidth = 1.2;

/** Bars that do not cover each other, in as few lanes as that takes. */
export function toBars<Item extends Pick<Incident, 'started_at' | 'ended_at'>>(
  items: readonly Item[],
  fromMs: number,
  toMs: number,
): Bar<Item>[] {
  const ends: number[] = [];
  const share = (ms: number) => (100 * (Math.min(toMs, Math.max(fromMs, ms)) - fromMs)) / (toMs - fromMs);
  const inOrder = items
    .filter(({ ended_at }) => ended_at === null || Date.parse(ended_at) >= fromMs)
    .sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at));
  return inOrder.map((item) => {
    const right = item.ended_at === null ? 100 : share(Date.parse(item.ended_at));
    const left = Math.min(share(Date.parse(item.started_at)), 100 - minWidth);
    const width = Math.max(minWidth, right - left);
    const free = ends.findIndex((end) => end < left);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = left + width;
    return { item, left, width, lane };
  });
}

/** Whole hours of this browser's time within the band, a few of them; of one or two hours parts. */
export function hourTicks(fromMs: number, toMs: number, maxTicks = 6): { atMs: number; left: number }[] {
  const hourMs = 3_600_000;
  const hours = (toMs - fromMs) / hourMs;
  const stepMs = hours <= 2 ? hourMs / 4 : Math.ceil(hours / maxTicks) * hourMs;
  const first = new Date(fromMs);
  first.setMinutes(hours <= 2 ? 15 * Math.ceil((first.getMinutes() + 1) / 15) : 60, 0, 0);
  const ticks: { atMs: number; left: number }[] = [];
  for (let atMs = first.getTime(); atMs < toMs; atMs += stepMs) {
    ticks.push({ atMs, left: (100 * (atMs - fromMs)) / (toMs - fromMs) });
  }
  return ticks;
}
