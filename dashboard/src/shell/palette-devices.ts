// Devices in the search, by their pseudonyms.
import { useMemo } from 'preact/hooks';
import { useOperation } from '../data/use-operation.ts';
import { navigate } from '../router/location.ts';
import type { PaletteEntry } from './palette-entries.ts';

/** Whoever looks for a device has its pseudonym; other words are about access points and pages. */
const beginning = /^dev-[a-z2-7]{1,16}$/;
const limit = 20;

export function useFoundDevices(query: string): readonly PaletteEntry[] {
  const search = query.trim().toLowerCase();
  const isWanted = beginning.test(search);
  const { data } = useOperation('list_devices', { query: { search, limit } }, { isWanted });
  return useMemo(
    () =>
      (isWanted ? (data?.items ?? []) : []).map(
        ({ device, technologies, last_ap_id }): PaletteEntry => ({
          id: `device ${device}`,
          group: 'devices',
          label: device,
          hint: [...technologies, last_ap_id].filter(Boolean).join(' · '),
          icon: 'device',
          onChoose: () => navigate(`/devices/${encodeURIComponent(device)}`),
        }),
      ),
    [isWanted, data],
  );
}
