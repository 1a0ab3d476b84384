// A chart as pages use it: title with unit, legend with values, the drawing, and a word on what a point stands for.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { formatValue } from '../../format/numbers.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import { componentText } from '../../text/components.ts';
import { Button } from '../button.tsx';
import { lazy } from '../feedback/lazy.tsx';
import { Skeleton } from '../feedback/skeleton.tsx';
import './chart.css';
import type { ChartMark, TimeRange } from './chart-options.ts';
import { type ChartLine, latestValue } from './chart-shape.ts';

export type { ChartMark, TimeRange } from './chart-options.ts';

const noMarks: readonly ChartMark[] = [];
const height = 220;
const ChartCanvas = lazy(
  () => import('./chart-canvas.tsx').then((module) => module.ChartCanvas),
  <Skeleton height="220px" />,
);

interface ChartProps {
  title: string;
  unit: string;
  /** Undefined while they are being fetched. */
  lines: readonly ChartLine[] | undefined;
  range: TimeRange;
  /** How much time a point stands for, where it stands for more than one sample. */
  resolutionSeconds?: number | undefined;
  marks?: readonly ChartMark[];
  /** Charts with the same key share their crosshair. */
  syncKey?: string;
  isZoomed?: boolean;
  /** Undefined: back to the whole window. */
  onZoom: (range: TimeRange | undefined) => void;
  tools?: ComponentChildren;
}

export function Chart(props: ChartProps) {
  const {
    title,
    unit,
    lines,
    range,
    resolutionSeconds,
    marks = noMarks,
    syncKey = 'page',
    isZoomed,
    onZoom,
    tools,
  } = props;
  const cursor = useSignal<number | undefined>(undefined);
  const onCursor = useCallback(
    (time: number | undefined) => {
      cursor.value = time;
    },
    [cursor],
  );
  const isEmpty = useMemo(() => lines?.every((line) => latestValue(line) === undefined) ?? false, [lines]);
  const described = (lines ?? []).map((line) => `${line.label}: ${formatLatest(latestValue(line), unit)}`).join(', ');
  return (
    <figure class="card chart" aria-label={componentText.chart.description(title, described)}>
      <figcaption class="spread">
        <h3>
          {title}
          {unit && <span class="faint"> {unit}</span>}
        </h3>
        <div class="cluster">
          {isZoomed && (
            <Button size="small" onClick={() => onZoom(undefined)}>
              {componentText.chart.zoomBack}
            </Button>
          )}
          {tools}
        </div>
      </figcaption>
      {lines && <Legend {...{ lines, unit, marks, range }} cursor={cursor.value} />}
      <div class="chart-body">
        {lines ? (
          <ChartCanvas {...{ lines, unit, height, range, resolutionSeconds, marks, syncKey, onZoom, onCursor }} />
        ) : (
          <Skeleton height={`${height}px`} />
        )}
        {isEmpty && <p class="chart-empty faint">{componentText.chart.noValues}</p>}
      </div>
      {lines && !isEmpty && <p class="faint small">{resolutionWord(lines, resolutionSeconds)}</p>}
    </figure>
  );
}

interface LegendProps {
  lines: readonly ChartLine[];
  unit: string;
  cursor: number | undefined;
  marks: readonly ChartMark[];
  range: TimeRange;
}

/** How near the crosshair has to be to a mark to tell of it, as a share of the range. */
const markReach = 0.012;

function Legend({ lines, unit, cursor, marks, range }: LegendProps) {
  const reach = (range.to - range.from) * markReach;
  const near = cursor === undefined ? [] : marks.filter(({ time }) => Math.abs(time - cursor) <= reach);
  return (
    <ul class="chart-legend">
      {lines.map((line, index) => (
        <li key={line.name}>
          <svg width="18" height="4" aria-hidden="true">
            <line class={`series-${(index % 6) + 1}`} x1="0" x2="18" y1="2" y2="2" />
          </svg>
          <span class="soft">{line.label}</span>
          <strong>{formatLatest(cursor === undefined ? latestValue(line) : valueAt(line, cursor), unit)}</strong>
        </li>
      ))}
      {cursor !== undefined && <li class="faint">{formatMoment(cursor * 1000)}</li>}
      {near.slice(0, 2).map(({ label, time, kind }) => (
        <li key={`${kind} ${time}`} class="chart-mark">
          {label}
        </li>
      ))}
    </ul>
  );
}

/** The line's own point at that moment or the last one before it. */
function valueAt({ times, values }: ChartLine, time: number): number | undefined {
  const index = times.findLastIndex((known) => known <= time);
  return values[index] ?? undefined;
}

function formatLatest(value: number | undefined, unit: string): string {
  return value === undefined ? '–' : formatValue(value, unit);
}

function resolutionWord(lines: readonly ChartLine[], resolutionSeconds: number | undefined): string {
  if (resolutionSeconds === undefined) return componentText.chart.raw;
  const span = formatSpan(resolutionSeconds, 2);
  return lines.some(({ lows }) => lows) ? componentText.chart.resolution(span) : componentText.chart.meanOnly(span);
}
