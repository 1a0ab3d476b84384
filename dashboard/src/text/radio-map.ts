// Texts of the radio map: the layer on the map and its legend.
import type { CoverageLayer } from '../api/operations.ts';

export const radioMapText = {
  title: 'Radio map',
  layer: 'Radio map layer',
  technology: 'Technology',
  network: 'Emulated network',
  networkName: (accessPoints: string, started: string) => `${accessPoints}, started ${started}`,
  opacity: 'Opacity',
  off: 'Off',
  layers: { best_server: 'Best server', signal: 'Signal', sinr: 'SINR', rate: 'Rate' } satisfies Record<
    CoverageLayer,
    string
  >,
  bestServer: 'Each access point has a colour; neighbours differ.',
  changedServer: 'Where another access point becomes the best',
  less: 'less',
  more: 'more',
  lost: 'Strongest colour: signal lost or gained',
  range: (low: string, high: string) => `Here from ${low} to ${high}`,
  nothing: 'No access point of this technology is received in this part of the map.',
  outside: 'No access point of this technology in this part of the map. Zoom out, or show all access points.',
  at: (time: string) => `Model time ${time}`,
  point: 'Point at the map to read a value.',
  tap: 'Tap the map to read a value.',
  nothingHere: 'No signal here',
  loading: 'Computing the radio map',
  comparing: (seconds: string) => `Running two copies ${seconds} ahead`,
  again: 'Try again',
  difference: {
    title: 'What-if difference',
    words: (count: string, seconds: string) => `${count}, ${seconds} later`,
    back: 'Show present',
    link: 'Show on the map',
    linkWords: 'The map shows where signal, SINR or rate would change.',
  },
};
