// The operator's own map server, if one is set (WEFT_TILE_URL): its pictures lie over the built-in ground, which shows
// wherever they are missing.
import L from 'leaflet';
import { setup } from '../session/setup-state.ts';

const maxNativeZoom = 19;

export function addTiles(map: L.Map): void {
  const tiles = setup.peek()?.map_tiles;
  if (!tiles) return;
  // No address of a page, and so no name of an access point, goes to the map server.
  const options: L.TileLayerOptions = { maxNativeZoom, maxZoom: map.getMaxZoom(), referrerPolicy: 'no-referrer' };
  L.tileLayer(tiles.url, options).addTo(map);
}

/** Whose pictures they are, as the map server asks to be named. */
export function tileCredit(): string {
  return setup.peek()?.map_tiles?.attribution ?? '';
}
