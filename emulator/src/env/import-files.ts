// Measurements to put into a world: positions of devices over time and their traffic as CSV, walls as lines of GeoJSON. What
// is wrong is said with its line.

import { hypot } from '@weft/contract/exact-math';
import { isObject } from '@weft/contract/is-object';
import type { Imported, ImportedTraffic, Track, Wall } from '../traffic/imported.ts';
import { type Location, maps, metresPerDegree, metresPerDegreeEast, shortestTurn } from '../world/places.ts';
import { EnvironmentError, type ImportTexts } from './environment-spec.ts';

const maxWalls = 2_000;
const longestSecond = 604_800;
/** Farther from the first access point something is wrong with the numbers. */
const farthestM = 50_000;

/** Undefined if there is nothing to import. Throws EnvironmentError `invalid_import`. */
export function readImports(texts: ImportTexts, locations: readonly Location[], devices: number): Imported | undefined {
  const { positions_csv, traffic_csv, walls_geojson } = texts;
  if (positions_csv === undefined && traffic_csv === undefined && walls_geojson === undefined) return undefined;
  if (maps(locations).length > 1) throw invalid('imports', 'all access points must be near one another');
  const toPlace = placer(locations);
  const table = (name: string, text: unknown, columns: readonly string[]) =>
    text === undefined ? new Map<number, Row[]>() : readTable(name, text, columns, devices);
  const tracks: Track[] = [];
  for (const [device, rows] of table('positions_csv', positions_csv, ['latitude', 'longitude'])) {
    const places = rows.map(({ line, values: [latitude, longitude] }) => {
      const place = toPlace({ latitude: latitude!, longitude: longitude! });
      if (hypot(...place) > farthestM) throw invalid(`positions_csv, line ${line}`, 'too far from the network');
      return place;
    });
    const [x, y] = [places.map(([east]) => east), places.map(([, north]) => north)].map((all) =>
      Float64Array.from(all),
    );
    tracks.push({ device, second: secondsOf(rows), x: x!, y: y! });
  }
  const traffic: ImportedTraffic[] = [];
  for (const [device, rows] of table('traffic_csv', traffic_csv, ['down_mbit', 'up_mbit'])) {
    const bits = (n: number) => {
      return Float64Array.from(rows, ({ line, values }) => {
        if (values[n]! >= 0 && values[n]! <= 1e5) return values[n]! * 1e6;
        throw invalid(`traffic_csv, line ${line}`, 'traffic must be 0 to 100000 Mbit');
      });
    };
    traffic.push({ device, second: secondsOf(rows), downBits: bits(0), upBits: bits(1) });
  }
  return { tracks, traffic, walls: walls_geojson === undefined ? [] : readWalls(walls_geojson, toPlace) };
}

interface Row {
  line: number;
  second: number;
  values: number[];
}

/** Rows by device, in the order of time. */
function readTable(name: string, text: unknown, columns: readonly string[], devices: number): Map<number, Row[]> {
  if (typeof text !== 'string') throw invalid(name, 'must be a text');
  const wanted = ['second', 'device', ...columns];
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (head.replaceAll(' ', '') !== wanted.join(',')) throw invalid(`${name}, line 1`, `must be ${wanted.join(',')}`);
  const found = new Map<number, Row[]>();
  for (const [n, content] of lines.entries()) {
    const where = `${name}, line ${n + 2}`;
    if (content.trim() === '') continue;
    const cells = content.split(',').map((cell) => cell.trim());
    if (cells.length !== wanted.length) throw invalid(where, `must have ${wanted.length} values`);
    const [second, device, ...values] = cells.map((cell, column) => {
      const number = cell === '' ? Number.NaN : Number(column === 1 ? cell.replace(/^device-/, '') : cell);
      if (!Number.isFinite(number)) throw invalid(where, `${wanted[column]} must be a number: ${cell.slice(0, 32)}`);
      return number;
    }) as [number, number, ...number[]];
    if (!(second >= 0 && second <= longestSecond)) throw invalid(where, `second must be 0 to ${longestSecond}`);
    if (name === 'traffic_csv' && !Number.isInteger(second)) throw invalid(where, 'second must be a whole number');
    if (!(Number.isInteger(device) && device >= 0 && device < devices)) {
      throw invalid(where, `device must be 0 to ${devices - 1}`);
    }
    const rows = found.get(device) ?? [];
    const last = rows.at(-1);
    if (last && last.second >= second) throw invalid(where, 'the seconds of a device must grow from row to row');
    found.set(device, [...(last ? rows : []), { line: n + 2, second, values }]);
  }
  return found;
}

function secondsOf(rows: readonly Row[]): Float64Array {
  return Float64Array.from(rows, ({ second }) => second);
}

function readWalls(given: unknown, toPlace: (location: Location) => [number, number]): Wall[] {
  const document = typeof given === 'string' ? parseJson(given) : given;
  const features = isObject(document) && document.type === 'FeatureCollection' ? document.features : undefined;
  if (!Array.isArray(features)) throw invalid('walls_geojson', 'must be a FeatureCollection');
  const walls = features.flatMap((feature, n) => {
    const where = `walls_geojson, feature ${n + 1}`;
    const { geometry, properties } = isObject(feature) ? feature : {};
    const lossDb = isObject(properties) ? properties.loss_db : undefined;
    if (typeof lossDb !== 'number' || !(lossDb >= 0 && lossDb <= 100)) {
      throw invalid(where, 'properties.loss_db must be 0 to 100');
    }
    if (!isObject(geometry) || geometry.type !== 'LineString' || !Array.isArray(geometry.coordinates)) {
      throw invalid(where, 'must be a LineString');
    }
    const points = geometry.coordinates.map((point: unknown, at) => {
      const [longitude, latitude] = Array.isArray(point) ? point : [];
      if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
        throw invalid(`${where}, point ${at + 1}`, 'must be a longitude and a latitude');
      }
      return toPlace({ latitude, longitude });
    });
    if (points.length < 2) throw invalid(where, 'needs two points');
    return points.slice(1).map(([x2, y2], at) => ({ x1: points[at]![0], y1: points[at]![1], x2, y2, lossDb }));
  });
  if (walls.length > maxWalls) throw invalid('walls_geojson', `has at most ${maxWalls} stretches of wall`);
  return walls;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid('walls_geojson', `is not JSON: ${(error as Error).message}`);
  }
}

/** From degrees to the metres of the map on which the access points stand: as `toPlaces` has it. */
function placer(locations: readonly Location[]): (location: Location) => [number, number] {
  const origin = locations[0]!;
  const east = metresPerDegreeEast(origin.latitude);
  const x = (longitude: number) => shortestTurn(longitude - origin.longitude) * east;
  const left = Math.min(...locations.map(({ longitude }) => x(longitude)));
  return ({ latitude, longitude }) => [x(longitude) - left, (latitude - origin.latitude) * metresPerDegree];
}

function invalid(where: string, detail: string): EnvironmentError {
  return new EnvironmentError('invalid_import', `${where}: ${detail}`);
}
