// Draws charts as SVG text: panels with axes, lines and dots, on a coloured card, so that they are readable on a
// light page and on a dark one.

export interface Axis {
  label: string;
  min: number;
  max: number;
  /** Between two lines of the grid. */
  step: number;
}

export type Points = [x: number, y: number][];

export interface Series {
  /** Empty if another entry of the legend covers it. */
  name: string;
  colour: string;
  kind: 'line' | 'dashed' | 'dots';
  points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  title: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
  /** Vertical lines with a label. */
  moments?: readonly { x: number; label: string }[];
}

export interface Chart {
  /** A description of the chart for screen readers. */
  description: string;
  panels: readonly Panel[];
  arranged: 'beside' | 'below';
  panelWidth: number;
  panelHeight: number;
}

/** Distinguishable with colour blindness. */
export const colours = { blue: '#0072b2', red: '#d55e00', green: '#009e73', purple: '#8d5a99', grey: '#8a8a85' };

/** A series in one of the colours. */
export function line(
  name: string,
  colour: keyof typeof colours,
  points: Points,
  kind: Series['kind'] = 'line',
): Series {
  return { name, colour: colours[colour], kind, points };
}

const text = '#33332f';
const faint = '#e4e4df';
const card = '#fcfcfa';
const margin = { left: 56, right: 20, top: 62, bottom: 48 };
const gap = 8;

export function drawChart({ description, panels, arranged, panelWidth, panelHeight }: Chart): string {
  const isBeside = arranged === 'beside';
  const outer = { width: panelWidth + margin.left + margin.right, height: panelHeight + margin.top + margin.bottom };
  const width = isBeside ? panels.length * outer.width + gap : outer.width + gap;
  const height = isBeside ? outer.height + gap : panels.length * outer.height + gap;
  const drawn = panels.map((panel, n) => {
    const left = gap / 2 + margin.left + (isBeside ? n * outer.width : 0);
    const top = gap / 2 + margin.top + (isBeside ? 0 : n * outer.height);
    return `<g transform="translate(${left} ${top})">\n${drawPanel(panel, panelWidth, panelHeight, n)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif" font-size="12" fill="${text}">
<title>${escaped(description)}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${card}" stroke="#d4d4ce"/>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel({ title, x, y, series, moments = [] }: Panel, width: number, height: number, n: number): string {
  const atX = (value: number) => decimal(((value - x.min) / (x.max - x.min)) * width);
  const atY = (value: number) => decimal(height - ((value - y.min) / (y.max - y.min)) * height);
  const clip = `panel-${n}`;
  return [
    `<clipPath id="${clip}"><rect x="0" y="0" width="${width}" height="${height}"/></clipPath>`,
    `<text x="0" y="-42" font-size="14" font-weight="600">${escaped(title)}</text>`,
    ...ticks(y).flatMap((value) => [
      `<path d="M0 ${atY(value)}H${width}" stroke="${faint}"/>`,
      `<text x="-8" y="${atY(value) + 4}" text-anchor="end">${number(value)}</text>`,
    ]),
    ...ticks(x).flatMap((value) => [
      `<path d="M${atX(value)} 0V${height}" stroke="${faint}"/>`,
      `<text x="${atX(value)}" y="${height + 18}" text-anchor="middle">${number(value)}</text>`,
    ]),
    `<path d="M0 0V${height}H${width}" fill="none" stroke="${text}"/>`,
    `<text x="${width / 2}" y="${height + 38}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text transform="translate(-40 ${height / 2}) rotate(-90)" text-anchor="middle">${escaped(y.label)}</text>`,
    ...legend(series),
    `<g clip-path="url(#${clip})">`,
    ...series.map((one) => drawSeries(one, atX, atY)),
    '</g>',
    ...moments.flatMap(({ x: moment, label }) => [
      `<path d="M${atX(moment)} 0V${height}" stroke="${text}" stroke-dasharray="2 3"/>`,
      `<text x="${atX(moment) + 5}" y="12" font-style="italic">${escaped(label)}</text>`,
    ]),
  ].join('\n');
}

function legend(series: readonly Series[]): string[] {
  let at = 0;
  const named = series.filter(({ name }) => name !== '');
  return named.map(({ name, colour, kind }) => {
    const sign =
      kind === 'dots'
        ? `<circle cx="${at + 8}" cy="-18" r="3" fill="${colour}"/>`
        : `<path d="M${at} -18h16" stroke="${colour}" stroke-width="2"${kind === 'dashed' ? ' stroke-dasharray="5 3"' : ''}/>`;
    const entry = `${sign}<text x="${at + 21}" y="-14">${escaped(name)}</text>`;
    // Text is not measured here; this estimate is slightly too wide.
    at += 38 + name.length * 6.6;
    return entry;
  });
}

function drawSeries({ kind, colour, points }: Series, atX: (x: number) => number, atY: (y: number) => number): string {
  if (kind === 'dots') {
    const dots = points.map(([x, y]) => `M${atX(x)} ${atY(y)}h0`).join('');
    return `<path d="${dots}" stroke="${colour}" stroke-width="3" stroke-linecap="round" stroke-opacity="0.5"/>`;
  }
  const way = points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${atX(x)} ${atY(y)}`).join('');
  const dashes = kind === 'dashed' ? ' stroke-dasharray="5 3"' : '';
  return `<path d="${way}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${dashes}/>`;
}

function ticks({ min, max, step }: Axis): number[] {
  const count = Math.floor((max - min) / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, n) => min + n * step);
}

function number(value: number): string {
  return String(decimal(value)).replace('-', '−');
}

function decimal(value: number): number {
  return Math.round(value * 10) / 10 + 0;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
