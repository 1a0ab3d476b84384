// Leaflet lets go of a map at once, but not of what it has scheduled for it: a turn of the wheel that is still added up, the
// run-out of a drag, a zoom under way. All of them break on a map that is gone, so a map outlives them, out of the page.
import type { Map as LeafletMap } from 'leaflet';

/** To be called when the element of the map leaves the page; the element cannot get another map. */
export function removeMap(map: LeafletMap): void {
  // Timers that were set before run before, and so do frames that were asked for before.
  setTimeout(() => {
    requestAnimationFrame(() => {
      const isZooming = map.getPane('mapPane')?.classList.contains('leaflet-zoom-anim');
      if (!isZooming) map.remove();
      // What comes with the end of the zoom comes first.
      else map.once('zoomend', () => queueMicrotask(() => map.remove()));
    });
  }, map.options.wheelDebounceTime);
}
