// A chart as pages use it: title with unit, the values, the drawing, and below it a word on what a point stands for or on
// what is under the crosshair. It takes the same room before, while and after its values come.
import './chart.css';
import { useSignal } from '@preact/signals';
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { now, serverNow } from '../../data/freshness.ts';
import { formatAge, formatMetric, formatMoment, formatSpan } from '../../format.ts';
import { useQueryState } from '../../router/location.ts';
import { Icon, IconButton } from '../button.tsx';
import { Skeleton } from '../feedback.tsx';
import { lazy } from '../lazy.tsx';
import { Menu } from '../menu.tsx';
import { ChartTable, saveCsv, savePng } from './chart-export.tsx';
import type { ChartAlarm, ChartMark } from './chart-marks.ts';
import { reachOf, type TimeRange } from './chart-options.ts';
import { breakGaps, type ChartLine, gapLimit, indexNear, latestValue, presentValue } from './chart-shape.ts';

export interface ChartRange {
  range: TimeRange;
  /** The same if it does not move: then all of it can be asked for at once. */
  past: TimeRange | undefined;
}

export interface ChartRangeOptions {
  windowSeconds: number;
  /** A part of the past that is looked at closely; the live end stays out of sight. */
  zoom: TimeRange | undefined;
  isPaused: boolean;
}

export function useChartRange({ windowSeconds, zoom, isPaused }: ChartRangeOptions): ChartRange {
  const pausedAt = useRef<number | undefined>(undefined);
  const nowSeconds = now.value / 1000;
  // The second that has begun counts: what is on show already stays.
  pausedAt.current = isPaused ? (pausedAt.current ?? Math.ceil(serverNow() / 1000)) : undefined;
  return chartRange({ nowSeconds, pausedAt: pausedAt.current, windowSeconds, zoom });
}

/** In seconds since 1970. */
type Moments = Record<'nowSeconds' | 'windowSeconds', number> & { pausedAt: number | undefined };

export function chartRange({
  nowSeconds,
  pausedAt,
  windowSeconds,
  zoom,
}: Moments & Pick<ChartRangeOptions, 'zoom'>): ChartRange {
  const to = pausedAt ?? nowSeconds;
  const range = zoom ?? { from: to - windowSeconds, to };
  return { range, past: zoom || pausedAt !== undefined ? range : undefined };
}

export type { ChartMark } from './chart-marks.ts';
export type { TimeRange } from './chart-options.ts';

const noMarks: readonly ChartMark[] = [];
/** `stacked`: one of several that stand under each other on one time axis. */
const heights = { small: 122, stacked: 132, normal: 220, large: 380 };
const timesHeight = 20;
const ChartCanvas = lazy(() => import('./chart-canvas.tsx').then((module) => module.ChartCanvas), null);

interface ChartProps {
  title: string;
  unit: string;
  /** Undefined while they are being fetched. */
  lines: readonly ChartLine[] | undefined;
  /** What the lines are called, where that is known before they have come. */
  labels?: readonly string[];
  range: TimeRange;
  /** How much time a point stands for, where it stands for more than one sample. */
  resolutionSeconds?: number | undefined;
  marks?: readonly ChartMark[];
  alarm?: ChartAlarm | undefined;
  /** In seconds since 1970: what was measured before says nothing about now, and is grey with its age. */
  staleBefore?: number | undefined;
  /** Charts with the same key share their crosshair. */
  syncKey?: string;
  size?: keyof typeof heights;
  /** Whether times are written below it; of stacked charts the last has them. */
  hasTimes?: boolean;
  /** Makes it large or small again; absent: it stays as it is. */
  onResize?: () => void;
  /** Undefined: back to the whole window. */
  onZoom: (range: TimeRange | undefined) => void;
  /** What a point stands for; a page with many charts says it once (ChartCaption). */
  hasCaption?: boolean;
}

export function Chart(props: ChartProps) {
  const { title, unit, lines, labels, range, resolutionSeconds, alarm, marks = noMarks, syncKey = 'page' } = props;
  const { size = 'normal', onResize, onZoom, staleBefore, hasCaption = true } = props;
  const { hasTimes = true } = props;
  const height = heights[size] + (size === 'stacked' && hasTimes ? timesHeight : 0);
  const [written, setWritten] = useQueryState('at');
  // In the address, so that a link shows what its sender points at. Other charts have times of their own.
  const pin = syncKey === 'page' ? readMoment(written) : undefined;
  const onPin = syncKey === 'page' ? (time: number | undefined) => setWritten(writeMoment(time)) : undefined;
  const figure = useRef<HTMLElement>(null);
  const [isTableOpen, setTableOpen] = useState(false);
  const cursor = useSignal<number | undefined>(undefined);
  const onCursor = useCallback(
    (time: number | undefined) => {
      cursor.value = time;
    },
    [cursor],
  );
  const drawn = useMemo(
    () => lines?.map((line) => breakGaps(line, gapLimit(line.times, resolutionSeconds))),
    [lines, resolutionSeconds],
  );
  const isEmpty = useMemo(() => lines?.every((line) => latestValue(line) === undefined) ?? false, [lines]);
  const described = (lines ?? []).map((line) => `${line.label}: ${inWords(presentValue(line), props)}`).join(', ');
  const at = cursor.value ?? pin;
  const heldSince = staleBefore === undefined ? undefined : staleBefore - (resolutionSeconds ?? 0);
  const values: LegendValue[] = drawn
    ? drawn.map((line) => ({
        label: line.label,
        ghostOf: lines!.findIndex(({ name }) => name === line.ghostOf),
        value: inWords(at === undefined ? presentValue(line) : valueAt(line, at, reachOf(range)), props),
        staleSince: at === undefined ? staleSince(line, heldSince) : undefined,
      }))
    : (labels ?? [title]).map((label) => ({ label, value: '–' }));
  return (
    <figure ref={figure} class={`card chart ${size}`} aria-label={`Chart of ${title}. ${described}`}>
      <figcaption class="spread">
        <h3 title={title}>
          {title}
          {unit && <span class="faint"> {unit}</span>}
        </h3>
        <div class="chart-tools">
          {values.length === 1 && <ValueWords {...values[0]!} />}
          {lines && !isEmpty && (
            <Menu
              label={`Table and export of ${title}`}
              items={[
                { label: 'Show as a table', onChoose: () => setTableOpen(true) },
                { label: 'Save as CSV', onChoose: () => saveCsv(title, unit, lines) },
                { label: 'Save as PNG', onChoose: () => savePng(figure.current!, title, unit) },
              ]}
            >
              <Icon name="more" size={16} />
            </Menu>
          )}
          {onResize && (
            <IconButton
              class="small"
              icon={size === 'large' ? 'shrink' : 'fit'}
              label={size === 'large' ? `Shrink the chart of ${title}` : `Enlarge the chart of ${title}`}
              aria-pressed={size === 'large'}
              onClick={onResize}
            />
          )}
        </div>
      </figcaption>
      {values.length > 1 && <Legend values={values} />}
      <div class="chart-body" style={{ height: `${height}px` }}>
        {drawn ? (
          <ChartCanvas
            lines={drawn}
            {...{ unit, height, range, marks, alarm, syncKey, hasTimes, pin, onPin, onZoom, onCursor }}
          />
        ) : (
          <Skeleton height={`${height}px`} />
        )}
        {isEmpty && <p class="chart-empty faint">No values in this time window</p>}
      </div>
      {hasTimes && (
        <p class="chart-foot faint small">
          {at !== undefined
            ? cursorWords(at, marks, reachOf(range))
            : hasCaption && lines && !isEmpty && resolutionWord(lines, resolutionSeconds)}
        </p>
      )}
      {isTableOpen && lines && <ChartTable {...{ title, unit, lines }} onClose={() => setTableOpen(false)} />}
    </figure>
  );
}

/** What the points of these charts stand for. */
export function ChartCaption({ lines, resolutionSeconds }: Pick<ChartProps, 'lines' | 'resolutionSeconds'>) {
  return <p class="faint small">{lines && resolutionWord(lines, resolutionSeconds)}&nbsp;</p>;
}

interface LegendValue {
  label: string;
  value: string;
  /** The place of the line that it is a ghost of; below 0 if it is none. */
  ghostOf?: number;
  /** When it was measured, if it says nothing about now. */
  staleSince?: number | undefined;
}

function ValueWords({ value, staleSince: since }: LegendValue) {
  if (since === undefined) return <strong>{value}</strong>;
  return (
    <strong class="stale-value">
      {value} <small>· {`${formatAge(Math.max(0, serverNow() / 1000 - since))} ago`}</small>
    </strong>
  );
}

function readMoment(text: string): number | undefined {
  const time = Date.parse(text) / 1000;
  return Number.isNaN(time) ? undefined : time;
}

function writeMoment(time: number | undefined): string {
  return time === undefined ? '' : new Date(Math.round(time) * 1000).toISOString().replace('.000', '');
}

function staleSince(line: ChartLine, heldSince: number | undefined): number | undefined {
  const last = line.times[line.values.findLastIndex((value) => value !== null)];
  return last !== undefined && heldSince !== undefined && last < heldSince ? last : undefined;
}

function Legend({ values }: { values: readonly LegendValue[] }) {
  return (
    <ul class="chart-legend">
      {values.map((value, index) => (
        <li key={value.label}>
          <svg width="18" height="4" aria-hidden="true">
            <line class={lineLook(index, value.ghostOf)} x1="0" x2="18" y1="2" y2="2" />
          </svg>
          <span class="soft">{value.label}</span>
          <ValueWords {...value} />
        </li>
      ))}
    </ul>
  );
}

function lineLook(index: number, ghostOf = -1): string {
  return `series-${((ghostOf < 0 ? index : ghostOf) % 6) + 1} ${ghostOf < 0 ? '' : 'ghost'}`;
}

function cursorWords(at: number, marks: readonly ChartMark[], reach: number): string {
  const near = marks.filter(({ time }) => Math.abs(time - at) <= reach);
  return [formatMoment(at * 1000), ...near.slice(0, 2).map(({ label }) => label)].join(' · ');
}

function valueAt({ times, values }: ChartLine, time: number, reach: number): number | undefined {
  const index = indexNear(times, values, time, reach);
  return index === undefined ? undefined : (values[index] ?? undefined);
}

function inWords(value: number | undefined, { title, unit }: Pick<ChartProps, 'title' | 'unit'>): string {
  return value === undefined ? '–' : formatMetric(title, value, unit);
}

function resolutionWord(lines: readonly ChartLine[], resolutionSeconds: number | undefined): string {
  if (resolutionSeconds === undefined) return 'every sample';
  const span = formatSpan(resolutionSeconds, 2);
  if (!lines.some(({ lows }) => lows)) return `each point is the mean of ${span}`;
  return `each point is the mean of ${span}; the band shows minimum and maximum`;
}
