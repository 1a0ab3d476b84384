// The maps, fetched together when one is first shown: they bring a library of their own that no other page needs.
import { Skeleton } from '../components/feedback.tsx';
import { lazy } from '../components/lazy.tsx';
import type { FleetAgent } from '../data/fleet.ts';
import type { FleetMapProps } from './fleet-map.tsx';
import type { PlaceMapProps } from './place-map.tsx';

const load = () => import('./maps.ts');

export const LazyFleetMap = lazy<FleetMapProps>(() => load().then((maps) => maps.FleetMap), <Skeleton height="100%" />);
export const LazyPlaceMap = lazy<PlaceMapProps>(
  () => load().then((maps) => maps.PlaceMap),
  <Skeleton height="320px" />,
);

interface SmallMapProps extends Pick<FleetMapProps, 'selected'> {
  agents: readonly FleetAgent[] | undefined;
  label: string;
  /** Of the page that it opens. */
  href: string;
}

export function SmallMap({ agents, label, href, selected }: SmallMapProps) {
  const isPlaceless = agents?.every(({ geolocation }) => !geolocation) ?? false;
  return (
    <section class="card small-map" aria-label={label}>
      {isPlaceless && <p class="soft">No access point here has a location in its configuration yet.</p>}
      {agents && !isPlaceless && <LazyFleetMap agents={agents} isStill selected={selected} />}
      <a class="button plain small" href={href}>
        Open the map
      </a>
    </section>
  );
}
