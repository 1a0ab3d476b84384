// What is loaded as one file when a map is first shown.
export { FleetMap } from './fleet-map.tsx';
export { PlaceMap } from './place-map.tsx';
