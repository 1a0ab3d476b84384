// A thin frame around the chart library: made once, given new values as they come. Loaded only when a chart is shown.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { themeInForce } from '../../styles/theme.ts';
import type { ChartAlarm, ChartMark } from './chart-marks.ts';
import { type ChartLook, chartOptions, leaveGutter, type TimeRange } from './chart-options.ts';
import { alignLines } from './chart-shape.ts';

/** `lines` have nulls in their gaps. */
export interface ChartCanvasProps extends ChartLook {
  range: TimeRange;
  marks: readonly ChartMark[];
  alarm?: ChartAlarm | undefined;
  /** The moment that was chosen, on all charts of the page; a click chooses one, or lets it go. */
  pin: number | undefined;
  onPin?: ((time: number | undefined) => void) | undefined;
}

export function ChartCanvas(props: ChartCanvasProps) {
  const { lines, height, range } = props;
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [width, setWidth] = useState(0);
  const theme = themeInForce.value;

  const aligned = useMemo(() => {
    const { times, columns } = alignLines(lines);
    return [times, ...columns] as unknown as uPlot.AlignedData;
  }, [lines]);

  useLayoutEffect(() => {
    const element = frame.current!;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // What the chart is made of; a change of values alone keeps it.
  const kind = lines.map(({ name, lows }) => `${name}${lows ? '+' : ''}`).join('\n');
  const isMeasured = width > 0;
  // The theme is read while drawing.
  useEffect(() => {
    if (!isMeasured) return;
    const options = chartOptions({
      lines: latest.current.lines,
      current: () => latest.current.lines,
      unit: latest.current.unit,
      width: frame.current!.clientWidth,
      height,
      syncKey: latest.current.syncKey,
      range: () => latest.current.range,
      marks: () => latest.current.marks,
      alarm: () => latest.current.alarm,
      pin: () => latest.current.pin,
      hasTimes: latest.current.hasTimes,
      onZoom: (next) => latest.current.onZoom(next),
      onCursor: (time) => latest.current.onCursor(time),
    });
    const made = new uPlot(options, aligned, frame.current!);
    chart.current = made;
    return () => {
      chart.current = undefined;
      leaveGutter(options.cursor!.sync!.key, made);
      made.destroy();
    };
  }, [kind, isMeasured, theme, height, props.unit, props.syncKey, props.hasTimes]);

  useEffect(() => {
    if (isMeasured) chart.current?.setSize({ width, height });
  }, [width, height, isMeasured]);

  // Range and marks are drawn again with the values.
  useEffect(() => {
    const drawn = chart.current;
    drawn?.batch(() => {
      drawn.setData(aligned, false);
      // Its own, whatever the values are: all charts of a page show the same time.
      drawn.setScale('x', { min: range.from, max: range.to });
    });
  }, [aligned, range.from, range.to, props.marks, props.alarm, props.pin]);

  const pressedAt = useRef(0);
  const choose = (x: number) => {
    const { cursor, width: wide } = chart.current ?? {};
    if (!props.onPin || cursor?.left === undefined || cursor.left < 0 || Math.abs(x - pressedAt.current) > 3) return;
    const time = chart.current!.posToVal(cursor.left, 'x');
    const isSame = props.pin !== undefined && Math.abs(props.pin - time) * wide! < 8 * (range.to - range.from);
    props.onPin(isSame ? undefined : time);
  };
  return (
    // What it shows is in words above it and in its table; a moment is only looked at here.
    <div
      class="chart-canvas"
      ref={frame}
      style={{ height: `${height}px` }}
      aria-hidden="true"
      onMouseDown={(event) => {
        pressedAt.current = event.clientX;
      }}
      onClick={(event) => choose(event.clientX)}
    />
  );
}
