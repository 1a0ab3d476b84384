// The map, fetched when it is first shown: it brings a library of its own that no other page needs.
import { Skeleton } from '../components/feedback.tsx';
import { lazy } from '../components/lazy.tsx';
import type { FleetMapProps } from './fleet-map.tsx';

export const LazyFleetMap = lazy<FleetMapProps>(
  () => import('./fleet-map.tsx').then((module) => module.FleetMap),
  <Skeleton height="100%" />,
);
