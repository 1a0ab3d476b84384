// What a chart shows, taken out of it: as a table, which screen readers can read, as CSV, and as a picture.
import { csvCell } from '@weft/contract/enrolment-line';
import { formatMoment, formatNumber, formatValue } from '../../format.ts';
import { colourOf, fontFamily } from '../../styles/theme.ts';
import { saveFile } from '../copyable.tsx';
import { Dialog } from '../dialog.tsx';
import { PlainTable } from '../page.tsx';
import { alignLines, type ChartLine } from './chart-shape.ts';

const tableText = (title: string) => `Values of ${title}`;

const maxRows = 200;

/** Columns as `alignLines` has them, each with its name. */
function toTable(lines: readonly ChartLine[]) {
  const titles = lines.flatMap(({ label, lows, highs }) =>
    lows && highs ? [label, `${label}, lowest`, `${label}, highest`] : [label],
  );
  return { titles, ...alignLines(lines) };
}

/** Times as ISO 8601; what was not measured is empty. */
export function toCsv(unit: string, lines: readonly ChartLine[]): string {
  const { titles, times, columns } = toTable(lines);
  const head = ['time', ...titles.map((title) => csvCell(unit === '' ? title : `${title} (${unit})`))];
  const rows = times.map((time, row) => [
    new Date(time * 1000).toISOString(),
    ...columns.map((column) => column[row] ?? ''),
  ]);
  return `${[head, ...rows].map((cells) => cells.join(',')).join('\n')}\n`;
}

export function saveCsv(title: string, unit: string, lines: readonly ChartLine[]): void {
  saveFile(new Blob([toCsv(unit, lines)], { type: 'text/csv' }), `${fileName(title)}.csv`);
}

/** The drawing with its title and its values above it. */
export function savePng(figure: HTMLElement, title: string, unit: string): void {
  const drawn = figure.querySelector('canvas');
  if (!drawn) return;
  const pixel = devicePixelRatio;
  const picture = document.createElement('canvas');
  picture.width = drawn.width + 24 * pixel;
  picture.height = drawn.height + 64 * pixel;
  const pen = picture.getContext('2d')!;
  pen.fillStyle = colourOf('--surface');
  pen.fillRect(0, 0, picture.width, picture.height);
  const write = (words: string, font: string, colour: string, y: number) => {
    pen.font = `${font} ${fontFamily()}`;
    pen.fillStyle = colourOf(colour);
    pen.fillText(words, 12 * pixel, y * pixel, picture.width - 24 * pixel);
  };
  write(unit === '' ? title : `${title}, ${unit}`, `600 ${16 * pixel}px`, '--ink', 24);
  const values = [...figure.querySelectorAll('.chart-legend li, .chart-tools > strong')];
  write(values.map(({ textContent }) => textContent).join('   '), `${12 * pixel}px`, '--ink-soft', 44);
  pen.drawImage(drawn, 12 * pixel, 56 * pixel);
  picture.toBlob((blob) => blob && saveFile(blob, `${fileName(title)}.png`));
}

function fileName(title: string): string {
  return `weft-${title.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '-')}`;
}

interface ChartTableProps {
  title: string;
  unit: string;
  lines: readonly ChartLine[];
  onClose: () => void;
}

export function ChartTable({ title, unit, lines, onClose }: ChartTableProps) {
  const { titles, times, columns } = toTable(lines);
  const rows = times.map((time, row) => ({ time, row })).slice(-maxRows);
  return (
    <Dialog title={tableText(title)} width="wide" onClose={onClose}>
      {times.length > maxRows && (
        <p class="soft small">{`The newest ${formatNumber(maxRows)} of ${formatNumber(times.length)}; the CSV has all.`}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="plain-table-frame chart-table" tabIndex={0} role="region" aria-label={tableText(title)}>
        <PlainTable
          look="plain-table"
          titles={['Time', ...titles.map((label) => [label, 'end'] as const)]}
          rows={rows
            .reverse()
            .map(({ time, row }) => [
              formatMoment(time * 1000),
              ...columns.map((column) => (typeof column[row] === 'number' ? formatValue(column[row], unit) : '–')),
            ])}
        />
      </div>
    </Dialog>
  );
}
