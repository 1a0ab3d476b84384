// The maps, fetched together when one is first shown: they bring a library of their own that no other page needs.
import { Skeleton } from '../components/feedback.tsx';
import { lazy } from '../components/lazy.tsx';
import type { FleetMapProps } from './fleet-map.tsx';
import type { PlaceMapProps } from './place-map.tsx';

const load = () => import('./maps.ts');

export const LazyFleetMap = lazy<FleetMapProps>(() => load().then((maps) => maps.FleetMap), <Skeleton height="100%" />);
export const LazyPlaceMap = lazy<PlaceMapProps>(
  () => load().then((maps) => maps.PlaceMap),
  <Skeleton height="320px" />,
);
