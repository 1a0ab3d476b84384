// The cases in which the emulator's WiFi is held against ns-3: what wifi-cells.cc is asked, and nothing else. All are
// saturated, with frames of 1,500 bytes.

export interface Ns3Case {
  name: string;
  /** Which cells hear each other; one cell has none. */
  graph?: readonly (readonly [number, number])[];
  cells?: number;
  stations?: number;
  uplink?: boolean;
  rts?: boolean;
  /** What everybody receives of everybody within reach; with `mcs` it decides nothing. */
  signalDbm?: number;
  noiseFigureDb?: number;
  widthMhz?: 20 | 40 | 80;
  mcs?: number;
}

const strong = { mcs: 11, signalDbm: -45 };
const chain = (cells: number) => ({
  cells,
  graph: Array.from({ length: cells - 1 }, (_, n) => [n, n + 1] as const),
});

/** Access points in rows and columns that hear those beside, above and below them. */
function grid(columns: number, rows: number): Pick<Ns3Case, 'cells' | 'graph'> {
  const graph: [number, number][] = [];
  for (let cell = 0; cell < columns * rows; cell++) {
    if ((cell + 1) % columns !== 0) graph.push([cell, cell + 1]);
    if (cell + columns < columns * rows) graph.push([cell, cell + columns]);
  }
  return { cells: columns * rows, graph };
}

export const ns3Cases: readonly Ns3Case[] = [
  ...[1, 2, 5, 10, 20].flatMap((stations) => [
    { name: `${stations} up`, stations, uplink: true, ...strong },
    { name: `${stations} up, RTS`, stations, uplink: true, rts: true, ...strong },
  ]),
  ...[5, 20].map((stations) => ({ name: `${stations} down`, stations, ...strong })),
  ...[-64, -70, -75].flatMap((signalDbm) => [
    { name: `${signalDbm} dBm`, signalDbm },
    { name: `${signalDbm} dBm, noise figure 10`, signalDbm, noiseFigureDb: 10 },
  ]),
  ...[-64, -70, -75].map((signalDbm) => ({ name: `5 up, ${signalDbm} dBm`, stations: 5, uplink: true, signalDbm })),
  ...[0, 4, 7].map((mcs) => ({ name: `MCS ${mcs}`, mcs, signalDbm: -45 })),
  ...([20, 80] as const).map((widthMhz) => ({ name: `${widthMhz} MHz`, widthMhz, ...strong })),
  {
    name: '3 access points, all hear all',
    ...strong,
    cells: 3,
    graph: [
      [0, 1],
      [1, 2],
      [0, 2],
    ],
  },
  { name: 'chain of 3', ...strong, ...chain(3) },
  { name: 'chain of 4', ...strong, ...chain(4) },
  { name: 'chain of 5', ...strong, ...chain(5) },
  { name: 'grid of 3 by 2', ...strong, ...grid(3, 2) },
  { name: 'grid of 3 by 3', ...strong, ...grid(3, 3) },
];
