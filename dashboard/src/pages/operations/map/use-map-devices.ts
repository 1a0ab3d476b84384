// The devices of the access points in view, for points on the map: asked for while few enough access points are there that a
// point can be told from another.
import { useMemo, useRef } from 'preact/hooks';
import type { FleetAgent } from '../../../data/fleet.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { type DrawnDevice, toDrawnDevice } from '../../../map/draw-device.ts';

const maxNamed = 30;
const maxFleet = 150;
const limit = 500;
const pollMs = 3_000;
/** What the page needs to begin with comes first. */
const firstAfterMs = 3_000;
const maxSelector = 1_000;
const none: readonly DrawnDevice[] = [];

export function useMapDevices(
  visible: readonly FleetAgent[],
  fleet: readonly FleetAgent[] | undefined,
  isWanted: boolean,
): readonly DrawnDevice[] {
  const selector = selectorOf(visible, fleet?.length ?? Number.POSITIVE_INFINITY);
  const { data } = useOperation(
    'list_devices',
    { query: { limit, ...(selector && { selector }) } },
    { isWanted: isWanted && selector !== undefined, pollMs, firstAfterMs },
  );
  const fresh = useMemo(() => data?.items.map(toDrawnDevice), [data]);
  // While the map is moved the points of before stay.
  const kept = useRef(none);
  if (fresh) kept.current = fresh;
  return isWanted && selector !== undefined ? kept.current : none;
}

/** Empty for all devices of a small network; undefined if there are too many to ask for. */
export function selectorOf(visible: readonly Pick<FleetAgent, 'ap_id'>[], fleet: number): string | undefined {
  if (visible.length === 0) return undefined;
  const named = visible.map(({ ap_id }) => `name:"${ap_id}"`).join(' or ');
  if (visible.length <= maxNamed && named.length <= maxSelector) return named;
  return fleet <= maxFleet ? '' : undefined;
}
