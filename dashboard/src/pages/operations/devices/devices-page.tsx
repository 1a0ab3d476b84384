// All devices that access points report: of what kind, where, how well each is served and since when. The server selects,
// searches and sorts; more rows come as the list is scrolled.
import './devices-page.css';
import { looksLikeAddress } from '@weft/contract/device-address';
import { useEffect, useState } from 'preact/hooks';
import type { Device } from '../../../api/client.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { EmptyState, FailureNotice, Notice, SkeletonLines } from '../../../components/feedback.tsx';
import { ListSearch } from '../../../components/forms/draft.tsx';
import { readSelector, SelectorInput, useSettled } from '../../../components/forms/selector-input.tsx';
import { Page } from '../../../components/page.tsx';
import { Table } from '../../../components/tables/table.tsx';
import { byName, useDevices } from '../../../data/lists/use-devices.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { type PageProps, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { componentText } from '../../../text/components.ts';
import { devicesText } from '../../../text/pages.ts';
import { deviceColumns, deviceHref } from './device-values.tsx';

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

/** Rows beyond where the list was left, to fill the window. */
const rowsInWindow = 100;

export function DevicesPage({ title }: PageProps) {
  const [selector, setSelector] = useQueryState('selector');
  const [at] = useQueryState('at');
  const settled = useSettled(selector);
  const { typed, setTyped, search, isAddress } = useDeviceSearch();
  const query = { ...(settled.trim() !== '' && { selector: settled.trim() }), ...(search !== '' && { search }) };
  const [sort] = useQueryState('sort', byName);
  const wanted = at === '' ? 0 : Number(at) + rowsInWindow;
  const { rows, count, failure, isCurrent, onSight, retry } = useDevices(query, { sort, wanted });
  // What is on show may still be the answer to another filter.
  const isFiltered = [selector, settled, typed, search].some((filter) => filter !== '') || !isCurrent;
  const isEmpty = rows?.length === 0 && !isFiltered;
  const { words = '', problem } = readSelector(selector);
  return (
    <Page title={title} isFilling>
      {failure && <FailureNotice failure={failure} onRetry={retry} />}
      {!rows && !failure && <SkeletonLines count={10} />}
      {isEmpty && (
        <EmptyState
          title="No devices yet"
          actions={<ButtonLink kind="primary" href="/" words="Start a demo network" />}
        >
          Devices appear here as soon as an access point reports which ones it serves. Emulated access points do, and so
          does “weft agent” on WiFi access points.
        </EmptyState>
      )}
      {!isEmpty && (rows || (failure && isFiltered)) && (
        <>
          <SelectorInput
            isTextFirst
            value={selector}
            onInput={setSelector}
            meaning={`Devices at ${words}`}
            beside={
              count !== undefined && problem === undefined
                ? componentText.selector.match(formatNumber(count))
                : undefined
            }
            attributes={{ 'aria-label': 'Devices at which access points', type: 'search' }}
          />
          {isAddress && <Notice kind="warning" title={devicesText.address} />}
          <Table<Device>
            label={title}
            rows={isAddress ? [] : (rows ?? [])}
            columns={deviceColumns}
            hrefOf={({ device }) => deviceHref(device)}
            initialSort={byName}
            filteredBy={['selector']}
            given={{ total: isAddress ? 0 : count, onSight, hasOwnSearch: true }}
            tools={
              <ListSearch
                class="device-search"
                label="Search by pseudonym, access point, site or technology"
                value={typed}
                onCommit={setTyped}
              />
            }
          />
        </>
      )}
    </Page>
  );
}
