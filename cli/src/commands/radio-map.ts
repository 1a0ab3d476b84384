// `weft emulate map RUN`: the radio map of a running network as a table, one line for each point.
import type { CoverageAnswer } from '@weft/contract';
import { decodeCoverage } from '@weft/contract/coverage-values';
import type { CommandLine } from '../command.ts';
import { connect } from '../connection.ts';
import { toCsvLine } from '../csv.ts';
import { toJson } from '../json-text.ts';
import { exitCode, type Surroundings, UsageError } from '../surroundings.ts';

const layers = ['best_server', 'signal', 'sinr', 'rate'];
const technologies = new Map(['5G', 'WiFi', 'LiFi'].map((name) => [name.toLowerCase(), name]));
const usualSize = '64';

export const radioMapOptions = {
  layer: { value: 'LAYER', about: 'best_server, signal, sinr or rate (default: signal)' },
  type: { value: 'TYPE', about: '5G, WiFi or LiFi (default: 5G)' },
  size: { value: 'N', about: `columns and rows, 1 to 256 (default: ${usualSize})` },
};

export async function printRadioMap(job_number: string, line: CommandLine, around: Surroundings): Promise<number> {
  const layer = line.get('layer') ?? 'signal';
  if (!layers.includes(layer)) throw new UsageError(`--layer must be one of ${layers.join(', ')}.`);
  const technology = technologies.get((line.get('type') ?? '5G').toLowerCase());
  if (technology === undefined) throw new UsageError('--type must be 5G, WiFi or LiFi.');
  const size = line.get('size') ?? usualSize;
  const query = { layer, technology, columns: size, rows: size };
  const path = `/api/v1/emulator/${encodeURIComponent(job_number)}/coverage?${new URLSearchParams(query)}`;
  const map: CoverageAnswer = await connect(line, around).request('GET', path);
  around.stdout.write(line.has('json') ? `${toJson(map)}\n` : toCsv(map));
  return exitCode.ok;
}

export function toCsv({ layer, unit, bounds, columns, rows, values, scale, access_points }: CoverageAnswer): string {
  const { south, west, north, east } = bounds;
  const decoded = decodeCoverage(values as string, scale);
  const lines = [toCsvLine(['latitude', 'longitude', unit === '' ? layer : `${layer} (${unit})`])];
  for (const [point, value] of decoded.entries()) {
    const latitude = north - ((Math.floor(point / columns) + 0.5) * (north - south)) / rows;
    const longitude = west + (((point % columns) + 0.5) * (east - west)) / columns;
    const words = layer === 'best_server' ? (access_points[value] ?? '') : String(Math.round(value * 100) / 100);
    lines.push(toCsvLine([latitude.toFixed(7), longitude.toFixed(7), Number.isNaN(value) ? '' : words]));
  }
  return lines.join('');
}
