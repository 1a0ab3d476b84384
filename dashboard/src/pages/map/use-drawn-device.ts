// The device that the address of the map names, with its links as the map draws them.
import { looksLikeAddress } from '@weft/contract/device-address';
import { useMemo } from 'preact/hooks';
import type { Failure } from '../../api/failure.ts';
import type { DeviceDetails } from '../../api/operations.ts';
import { useOperation } from '../../data/use-operation.ts';
import { type DrawnDevice, toDrawnDevice } from '../../map/device-place.ts';
import { useQueryState } from '../../router/use-query-state.ts';

export interface ChosenDevice {
  /** Empty: none is chosen. */
  name: string;
  details: DeviceDetails | undefined;
  drawn: DrawnDevice | undefined;
  failure: Failure | undefined;
  close: () => void;
}

export function useDrawnDevice(): ChosenDevice {
  const [written, setWritten] = useQueryState('device');
  // An address is neither sent nor shown.
  const name = looksLikeAddress(written) ? '' : written;
  const { data, failure } = useOperation(
    'get_device',
    { path: { device: name } },
    { pollMs: 2000, isWanted: name !== '' },
  );
  const details = name === '' || failure?.status === 404 ? undefined : data;
  const drawn = useMemo(() => details && toDrawnDevice(details), [details]);
  return { name, details, drawn, failure, close: () => setWritten('') };
}
