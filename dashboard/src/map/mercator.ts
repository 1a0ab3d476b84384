// From places on the globe to places on the flat world that the map draws (a square from 0 to 1, as web maps have it), and
// rectangles on its canvas. Pure.

export interface GeoPlace {
  latitude: number;
  longitude: number;
}

export interface WorldPlace {
  x: number;
  y: number;
}

/** Beyond it the flat world has no place for anything. */
const maxLatitude = 85.05112878;
const equatorMetres = 40_075_016.686;
const tileSize = 256;

export function toWorld({ latitude, longitude }: GeoPlace): WorldPlace {
  const north = Math.max(-maxLatitude, Math.min(maxLatitude, latitude));
  const radians = (north * Math.PI) / 180;
  return { x: (longitude + 180) / 360, y: (1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2 };
}

export function toGeo({ x, y }: WorldPlace): GeoPlace {
  return { latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI, longitude: x * 360 - 180 };
}

/** Pixels that the whole world is wide at this zoom. */
export function worldSize(zoom: number): number {
  return tileSize * 2 ** zoom;
}

export function metresPerPixel(latitude: number, zoom: number): number {
  return (equatorMetres * Math.cos((latitude * Math.PI) / 180)) / worldSize(zoom);
}

/** How much of the flat world a metre takes at this latitude. */
export function worldPerMetre(latitude: number): number {
  return 1 / (equatorMetres * Math.cos((latitude * Math.PI) / 180));
}

/** The smallest of 1, 2, 5, 10, 20, 50 … that is not below `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function boxAround(x: number, y: number, radius: number): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}
