// The names of cities and towns on the ground: the larger ones from far away, all of them close up, none over another. The
// lists come from the gazetteer (see vite.config.ts); they are fetched when they are first needed.
import { colourOf, fontFamily, withAlpha } from '../styles/theme.ts';
import type { MapView } from './map-canvas.ts';
import { type Box, type GeoPlace, overlaps, toWorld, type WorldPlace } from './mercator.ts';

type PlaceRow = [name: string, latitude: number, longitude: number, thousands: number];

interface NamedPlace extends WorldPlace {
  name: string;
  thousands: number;
  geo: GeoPlace;
}

type Named = Pick<NamedPlace, 'name' | 'geo'>;

const nearDegrees = 0.25;
const citiesFromZoom = 3;
const townsFromZoom = 7.5;
const nearKm = 25;
/** A name that would be covered stands this far above or below, in pixels. */
const aside = 42;
const kmPerDegree = 111.2;

/** How many people a place has at least to be named at this zoom, in thousands. */
export function leastThousands(zoom: number): number {
  return zoom >= 9.5 ? 0 : Math.round(6000 / 2 ** ((zoom - citiesFromZoom) * 1.15));
}

/** `City of London` beside `London` says nothing new. The larger ones come first. */
export function isPartOf(place: Named, larger: readonly Named[]): boolean {
  return larger.some(
    ({ name, geo }) =>
      place.name !== name &&
      place.name.split(/[ ,-]+/).includes(name) &&
      Math.hypot(geo.latitude - place.geo.latitude, geo.longitude - place.geo.longitude) < nearDegrees,
  );
}

export class PlaceNames {
  readonly #onChange: () => void;
  readonly #asked = new Set<string>();
  #places: NamedPlace[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The largest place within a short drive; undefined while none is known. */
  near({ latitude, longitude }: GeoPlace): string | undefined {
    const shrink = Math.cos((latitude * Math.PI) / 180);
    const near = this.#places.filter(({ geo, thousands }) => {
      const km = Math.hypot(geo.latitude - latitude, (geo.longitude - longitude) * shrink) * kmPerDegree;
      // The larger a city, the farther it reaches.
      return km < Math.min(nearKm, 3 + Math.sqrt(thousands) / 2);
    });
    return near.find((place) => !isPartOf(place, near))?.name;
  }

  /** `avoid`: what stands on the ground and must not cover a name. */
  paint(view: MapView, avoid: readonly Box[]): void {
    const { context, width, height, zoom, scale, left, top } = view;
    if (zoom < citiesFromZoom) return;
    this.#fetch(zoom >= townsFromZoom ? '/places/all.json' : '/places/cities.json');
    const least = leastThousands(zoom);
    const taken = [...avoid];
    const shown: NamedPlace[] = [];
    context.save();
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = colourOf('--map-land');
    for (const place of this.#places) {
      if (place.thousands < least) break;
      const x = place.x * scale - left;
      const y = place.y * scale - top;
      if (x < 0 || y < 0 || x > width || y > height) continue;
      const size = place.thousands >= 300 || zoom >= 13 ? 13 : 11;
      const half = (place.name.length * size * 0.56) / 2 + 6;
      const boxAt = (middle: number) => ({
        left: x - half,
        right: x + half,
        top: middle - size,
        bottom: middle + size,
      });
      if (isPartOf(place, shown)) continue;
      const at = [y, y + aside, y - aside, y + 2 * aside, y - 2 * aside].find(
        (middle) => !taken.some((other) => overlaps(boxAt(middle), other)),
      );
      if (at === undefined) continue;
      taken.push(boxAt(at));
      shown.push(place);
      context.font = `${place.thousands >= 300 ? 600 : 450} ${size}px ${fontFamily()}`;
      context.strokeText(place.name, x, at);
      // Close up a name is one of a part of the ground, not of a spot: it stays behind.
      context.fillStyle = withAlpha(colourOf('--ink-soft'), zoom >= 14 ? 0.6 : 1);
      context.fillText(place.name, x, at);
    }
    context.restore();
  }

  #fetch(address: string): void {
    // All of them have the cities too.
    if (this.#asked.has(address) || this.#asked.has('/places/all.json')) return;
    this.#asked.add(address);
    fetch(address, { credentials: 'omit' })
      .then(async (response) => {
        if (!response.ok) throw new Error(`status ${response.status}`);
        const found = byRank((await response.json()) as PlaceRow[]).map(toPlace);
        if (found.length > this.#places.length) this.#places = found;
        this.#onChange();
      })
      // The map is a map without names too; they are tried for again when they are next needed.
      .catch(() => this.#asked.delete(address));
  }
}

/** The larger ones first; of those as large, `London` before `City of London`. */
export function byRank(rows: readonly PlaceRow[]): PlaceRow[] {
  return rows.toSorted(([a, , , more], [b, , , less]) => less - more || a.length - b.length);
}

function toPlace([name, latitude, longitude, thousands]: PlaceRow): NamedPlace {
  const geo = { latitude, longitude };
  return { name, thousands, geo, ...toWorld(geo) };
}
