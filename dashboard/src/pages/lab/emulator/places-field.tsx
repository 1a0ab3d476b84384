// Where a network stands: places by name or coordinates, typed or picked from a map.

import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../../components/button.tsx';
import { Skeleton } from '../../../components/feedback.tsx';
import { Field } from '../../../components/forms/fields.tsx';
import type { FormState } from '../../../components/forms/form.tsx';
import { useFleet } from '../../../data/fleet.ts';
import { partsOf } from '../../../format.ts';
import { LazyPlaceMap } from '../../../map/lazy-fleet-map.tsx';
import { session } from '../../../session/session.ts';
import { type NetworkValues, placesOf } from './network-form.ts';

/** The map opens where the network is, once that is known. */
function PickedOnMap(props: { places: readonly string[]; onPick: (place: string) => void }) {
  const { agents, failure } = useFleet();
  if (!agents && !failure) return <Skeleton height="320px" />;
  return <LazyPlaceMap {...props} around={(agents ?? []).flatMap(({ geolocation }) => geolocation ?? [])} />;
}

export function PlacesField({ form }: { form: FormState<NetworkValues> }) {
  const [typed, setTyped] = useState('');
  const [hasMap, setMap] = useState(false);
  const places = placesOf(form.values.value);
  const set = (next: readonly string[]) => form.set('places', [...new Set(next)].join('\n'));
  const add = (words: string) => {
    const fresh = partsOf(words, /[\n;]/);
    if (fresh.length > 0) set([...places, ...fresh]);
    setTyped('');
  };
  return (
    <>
      <Field
        {...form.at('places')}
        label="Cities or coordinates"
        hint="Coordinates such as 51.4545, −2.5879. Access points are distributed over all locations."
      >
        {(attributes) => (
          <div class="places">
            {places.map((place) => (
              <span key={place} class="place-chip">
                {place}
                <IconButton
                  icon="close"
                  label={`Remove ${place}`}
                  onClick={() => set(places.filter((other) => other !== place))}
                />
              </span>
            ))}
            <input
              class="input"
              autoCapitalize="none"
              placeholder={places.length === 0 ? 'Bristol' : ''}
              spellcheck={false}
              autoComplete="off"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              onBlur={() => add(typed)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || typed.trim() === '') return;
                event.preventDefault();
                add(typed);
              }}
              {...attributes}
            />
            <Button onClick={() => add(typed)}>Add</Button>
          </div>
        )}
      </Field>
      <div>
        <Button icon="map" aria-expanded={hasMap} onClick={() => setMap(!hasMap)}>
          {hasMap ? 'Hide the map' : 'Choose on the map'}
        </Button>
      </div>
      {session.value?.isAdmin && (
        <label>
          <input
            type="checkbox"
            checked={form.values.value.sites !== ''}
            onChange={({ currentTarget: { checked } }) => form.set('sites', checked ? 'on' : '')}
          />{' '}
          Make a site for each place
        </label>
      )}
      {hasMap && <PickedOnMap places={places} onPick={(place) => set([...places, place])} />}
    </>
  );
}
