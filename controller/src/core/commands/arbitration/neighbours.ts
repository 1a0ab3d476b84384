// Neighbours: which agents interfere with each other, by their places and technologies. Kept in memory, one agent at a
// time; a decision asks for the neighbours of its target.

import type { Technology } from '@weft/contract';
import type { Place } from '@weft/contract/place';
import { byTechnology, technologyNames } from '@weft/contract/technologies';
import type { AgentRow } from '../../network/agent-rows.ts';

/** On a sphere of the earth's mean radius, which is wrong by half a percent at most. */
const earthRadiusM = 6_371_008.8;
const minCellM = 1;
/** More than any radio receives; a fleet in one place must not make every decision slow. */
const defaultMaxNeighbours = 1000;

const nothing: readonly Cell[] = [];

interface Entry {
  ap_id: string;
  technology: Technology;
  x: number;
  y: number;
  z: number;
  cell: Cell | undefined;
}

interface Cell {
  i: number;
  j: number;
  k: number;
  entries: Set<Entry>;
}

/**
 * Agents as points in space, sorted into cubes as wide as the range of their technology: no edge at the antimeridian, no
 * special case at the poles. An agent without a place or a known technology has no neighbours.
 */
export class Neighbours {
  readonly #entries = new Map<string, Entry>();
  #grids: Record<Technology, Grid>;

  constructor(ranges: Readonly<Record<Technology, number>>) {
    this.#grids = gridsFor(ranges);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds the agent, or moves it to where it says it is now. Takes constant time. */
  set({ ap_id, technology, place }: Pick<AgentRow, 'ap_id' | 'technology' | 'place'>): void {
    this.remove(ap_id);
    if (!technology || !place) return;
    const grid = this.#grids[technology];
    const entry: Entry = { ap_id, technology, ...toSpace(place), cell: undefined };
    grid.add(entry);
    this.#entries.set(ap_id, entry);
  }

  remove(ap_id: string): void {
    const entry = this.#entries.get(ap_id);
    if (!entry) return;
    this.#grids[entry.technology].remove(entry);
    this.#entries.delete(ap_id);
  }

  /** The ranges have changed: sorts all agents again. */
  setRanges(ranges: Readonly<Record<Technology, number>>): void {
    this.#grids = gridsFor(ranges);
    for (const entry of this.#entries.values()) this.#grids[entry.technology].add(entry);
  }

  /**
   * The ap_ids of the agents of the same technology at most this far away, itself not among them; of more than `max`,
   * some. With `anyTechnology` those of all technologies.
   */
  within(ap_id: string, metres: number, { anyTechnology = false, max = defaultMaxNeighbours } = {}): string[] {
    const found: string[] = [];
    const entry = this.#entries.get(ap_id);
    if (!entry || !(metres > 0)) return found;
    for (const technology of anyTechnology ? technologyNames : [entry.technology]) {
      this.#grids[technology].collect(entry, straight(metres), max, found);
    }
    return found;
  }
}

class Grid {
  readonly #cellM: number;
  /** By a number made of the three indexes, which several cells may share. */
  readonly #cells = new Map<number, Cell[]>();

  constructor(cellM: number) {
    this.#cellM = Math.max(cellM, minCellM);
  }

  add(entry: Entry): void {
    const [i, j, k] = [this.#index(entry.x), this.#index(entry.y), this.#index(entry.z)];
    let cell = this.#cell(i, j, k);
    if (!cell) {
      cell = { i, j, k, entries: new Set() };
      const shared = this.#cells.get(hash(i, j, k));
      if (shared) shared.push(cell);
      else this.#cells.set(hash(i, j, k), [cell]);
    }
    cell.entries.add(entry);
    entry.cell = cell;
  }

  remove(entry: Entry): void {
    const { cell } = entry;
    if (!cell?.entries.delete(entry) || cell.entries.size > 0) return;
    const key = hash(cell.i, cell.j, cell.k);
    const others = this.#cells.get(key)!.filter((each) => each !== cell);
    if (others.length > 0) this.#cells.set(key, others);
    else this.#cells.delete(key);
  }

  collect(centre: Entry, distanceM: number, max: number, found: string[]): void {
    const take = (cell: Cell | undefined): boolean => {
      for (const entry of cell?.entries ?? []) {
        if (found.length >= max) return false;
        if (entry !== centre && isWithin(centre, entry, distanceM)) found.push(entry.ap_id);
      }
      return true;
    };
    const reach = Math.ceil(distanceM / this.#cellM);
    // A range much wider than the cells: then there are fewer cells with agents than cells to look into.
    if ((2 * reach + 1) ** 3 > this.#cells.size) {
      for (const cells of this.#cells.values()) if (!cells.every(take)) return;
      return;
    }
    const [i, j, k] = [this.#index(centre.x), this.#index(centre.y), this.#index(centre.z)];
    for (let a = i - reach; a <= i + reach; a += 1) {
      for (let b = j - reach; b <= j + reach; b += 1) {
        for (let c = k - reach; c <= k + reach; c += 1) if (!take(this.#cell(a, b, c))) return;
      }
    }
  }

  #cell(i: number, j: number, k: number): Cell | undefined {
    for (const cell of this.#cells.get(hash(i, j, k)) ?? nothing) {
      if (cell.i === i && cell.j === j && cell.k === k) return cell;
    }
    return undefined;
  }

  #index(coordinate: number): number {
    return Math.floor(coordinate / this.#cellM);
  }
}

function gridsFor(ranges: Readonly<Record<Technology, number>>): Record<Technology, Grid> {
  return byTechnology((name) => new Grid(ranges[name]));
}

function toSpace({ latitude, longitude }: Place): { x: number; y: number; z: number } {
  const [lat, lon] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  const flat = earthRadiusM * Math.cos(lat);
  return { x: flat * Math.cos(lon), y: flat * Math.sin(lon), z: earthRadiusM * Math.sin(lat) };
}

/** A distance over ground as it is through it. */
function straight(metres: number): number {
  const angle = Math.min(metres / (2 * earthRadiusM), Math.PI / 2);
  return 2 * earthRadiusM * Math.sin(angle);
}

function isWithin(a: Entry, b: Entry, distanceM: number): boolean {
  return (a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2 <= distanceM ** 2;
}

function hash(i: number, j: number, k: number): number {
  return Math.imul(i, 73_856_093) ^ Math.imul(j, 19_349_663) ^ Math.imul(k, 83_492_791);
}
