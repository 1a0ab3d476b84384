// The whole fleet on a map, with a list of what is visible beside it for those who cannot use a map.
import { useMemo, useRef, useState } from 'preact/hooks';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { EmptyState, FailureNotice, Skeleton, SkeletonLines } from '../../../components/feedback.tsx';
import { ListSearch } from '../../../components/forms/draft.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { Page } from '../../../components/page.tsx';
import { PhoneFold } from '../../../components/tables/filter-bar.tsx';
import { technologyChoices } from '../../../data/agents.ts';
import '../../../components/tables/table.css';
import { filterRows } from '../../../components/tables/table-view.ts';
import { type FleetAgent, useFleet } from '../../../data/fleet.ts';
import { queries } from '../../../data/use-operation.ts';
import { LazyFleetMap } from '../../../map/lazy-fleet-map.tsx';
import type { GeoPlace } from '../../../map/mercator.ts';
import { type PageProps, setQuery, useQueryState } from '../../../router/location.ts';
import { componentText } from '../../../text/components.ts';
import { agentsText } from '../../../text/pages.ts';
import { AgentPanel } from './agent-panel.tsx';
import { DevicePanel, useDrawnDevice } from './device-panel.tsx';
import { RadioPanel } from './radio-panel.tsx';
import { ShadingLegend, useShading } from './shading.tsx';
import { useMapDevices } from './use-map-devices.ts';
import { useRadioMap } from './use-radio-map.ts';
import { useWorst, VisibleList } from './visible-list.tsx';
import './map-page.css';

const restMs = 250;

export function MapPage({ title }: PageProps) {
  const { agents, failure } = useFleet();
  const [type, setType] = useQueryState('type');
  const [state, setState] = useQueryState('state');
  const [q, setText] = useQueryState('q');
  const [selected, setSelected] = useQueryState('agent');
  const [place] = useQueryState('view');
  const [pointed, setPointed] = useState<string | undefined>(undefined);
  const [visibleIds, setVisibleIds] = useState<ReadonlySet<string>>(new Set());
  const rest = useRef<number | undefined>(undefined);
  const filtered = useMemo(() => agents && filterAgents(agents, { type, state, q }), [agents, type, state, q]);
  const visible = useMemo(() => (filtered ?? []).filter(({ ap_id }) => visibleIds.has(ap_id)), [filtered, visibleIds]);
  const onMoved = (next: string, seen: ReadonlySet<string>) => {
    setVisibleIds(seen);
    // The address is written once the map has come to rest.
    clearTimeout(rest.current);
    rest.current = window.setTimeout(() => {
      if (location.pathname === '/map') setQuery({ view: next });
    }, restMs);
  };
  const radio = useRadioMap(agents);
  // They would hide the layer.
  const devices = useMapDevices(visible, agents, !radio.layer);
  const shading = useShading(agents);
  const [under, setUnder] = useState<GeoPlace | undefined>(undefined);
  const chosen = selected === '' ? undefined : agents?.find(({ ap_id }) => ap_id === selected);
  const device = useDrawnDevice();
  // Only the list is in that order, and a panel may stand in its place.
  const worst = useWorst(visible, selected === '' && device.name === '');
  const isEmpty = agents?.length === 0;
  return (
    <Page
      title={title}
      isFilling
      actions={
        !isEmpty && (
          <search class="map-filters">
            <ListSearch label="Search by name or site" value={q} onCommit={setText} />
            <PhoneFold count={[type, state, shading.metric].filter(Boolean).length}>
              <Choice
                label={agentsText.typeFilter}
                value={type}
                onChange={setType}
                options={{ '': agentsText.allTypes, ...technologyChoices }}
              />
              <Choice
                label={agentsText.stateFilter}
                value={state}
                onChange={setState}
                options={{ '': agentsText.allStates, ...componentText.states }}
              />
              <Choice
                label="Colour by"
                value={shading.metric}
                onChange={shading.setMetric}
                options={[['', 'Colour by type'], ...shading.options]}
              />
            </PhoneFold>
          </search>
        )
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('metrics_')} />}
      {isEmpty ? (
        <div class="card">
          <EmptyState
            title="No access points on the map yet"
            actions={<ButtonLink kind="primary" href="/" words="Start a demo network" />}
          >
            The map shows access points that have a location (geolocation) in their configuration.
          </EmptyState>
        </div>
      ) : (
        <div class="map-grid">
          <div class="map-frame">
            {filtered ? (
              <LazyFleetMap
                agents={filtered}
                selected={selected || undefined}
                sought={`${type} ${state} ${q}`}
                {...{ pointed, place, onMoved }}
                onSelect={(ap_id) => setSelected(ap_id ?? '')}
                onPoint={setPointed}
                picture={radio.picture}
                network={radio.chosen}
                shading={shading.shading}
                device={device.drawn}
                devices={devices}
                moves={radio.planned?.moves}
                onBounds={radio.onBounds}
                onPlace={(at) => radio.layer && setUnder(at)}
              />
            ) : (
              <Skeleton height="100%" />
            )}
            {filtered && <RadioPanel radio={radio} place={under} />}
            {filtered && <ShadingLegend {...shading} />}
            {filtered?.length === 0 && (
              <div class="map-nothing card">
                <p>No access points match this filter.</p>
                <Button size="small" onClick={() => setQuery({ q: '', type: '', state: '' })} words="Clear filter" />
              </div>
            )}
          </div>
          <aside class="map-side card">
            {selected !== '' && agents ? (
              <AgentPanel key={selected} ap_id={selected} agent={chosen} onClose={() => setSelected('')} />
            ) : device.name !== '' && agents ? (
              <DevicePanel device={device} agents={agents} />
            ) : filtered ? (
              <VisibleList
                agents={worst}
                all={filtered}
                onPoint={setPointed}
                onSelect={(ap_id) => setSelected(ap_id)}
              />
            ) : (
              <SkeletonLines count={8} />
            )}
          </aside>
        </div>
      )}
    </Page>
  );
}

function filterAgents(
  agents: readonly FleetAgent[],
  { type, state, q }: { type: string; state: string; q: string },
): FleetAgent[] {
  const matching = agents.filter((agent) => (!state || agent.state === state) && (!type || agent.technology === type));
  return filterRows(
    matching,
    ({ ap_id, display_name, site, tags }) => `${ap_id} ${display_name ?? ''} ${site} ${tags.join(' ')}`,
    q,
  );
}
