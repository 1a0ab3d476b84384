// What is searched for in the list of devices. It lives in the address like every filter, except what looks like the address of a
// device: that is personal data, and goes nowhere unless an administrator has allowed it.
import { looksLikeAddress } from '@weft/contract/device-address';
import { useEffect, useState } from 'preact/hooks';
import { useOperation } from '../../data/use-operation.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { session } from '../../session/session.ts';

const restMs = 200;

export interface DeviceSearch {
  /** What stands in the field. */
  typed: string;
  setTyped: (text: string) => void;
  /** What is asked for, once typing has come to rest. */
  search: string;
  isAddress: boolean;
}

export function useDeviceSearch(): DeviceSearch {
  const [inAddress, setInAddress] = useQueryState('q');
  /** What must not go into the address. */
  const [withheld, setWithheld] = useState('');
  const typed = inAddress === '' ? withheld : inAddress;
  const { isAdmin = false } = session.value ?? {};
  const isAddress = looksLikeAddress(typed);
  const privacy = useOperation('get_device_privacy', {}, { isWanted: isAdmin && isAddress });
  const isAllowed = isAdmin && privacy.data?.clear_addresses === true;
  const [search, setSearch] = useState(inAddress);
  const wanted = isAddress && !isAllowed ? '' : typed.trim();
  useEffect(() => {
    const timer = setTimeout(() => setSearch(wanted), restMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const setTyped = (text: string) => {
    setWithheld(looksLikeAddress(text) ? text : '');
    setInAddress(looksLikeAddress(text) ? '' : text);
  };
  return { typed, setTyped, search, isAddress: isAddress && !isAllowed };
}
