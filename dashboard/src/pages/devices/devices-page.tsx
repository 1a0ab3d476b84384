// All devices that access points report: of what kind, where, how well each is served and since when. The server selects,
// searches and sorts; more rows come as the list is scrolled.
import type { Device } from '../../api/operations.ts';
import { ButtonLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice, Notice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { ListSearch } from '../../components/forms/draft.tsx';
import { readSelector, SelectorInput, useSettled } from '../../components/forms/selector-input.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Table } from '../../components/tables/table.tsx';
import { byName, useDevices } from '../../data/lists/use-devices.ts';
import { formatNumber } from '../../format/numbers.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { componentText } from '../../text/components.ts';
import { devicesText } from '../../text/devices.ts';
import { pageTitles } from '../../text/pages.ts';
import { deviceColumns } from './device-columns.tsx';
import { deviceHref } from './device-values.tsx';
import './devices-page.css';
import { useDeviceSearch } from './use-device-search.ts';

/** Rows beyond where the list was left, to fill the window. */
const rowsInWindow = 100;

export function DevicesPage() {
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
    <Page title={pageTitles.devices} isFilling>
      {failure && <FailureNotice failure={failure} onRetry={retry} />}
      {!rows && !failure && <SkeletonLines count={10} />}
      {isEmpty && (
        <EmptyState
          title={devicesText.empty.title}
          actions={
            <ButtonLink kind="primary" href="/">
              {devicesText.empty.demo}
            </ButtonLink>
          }
        >
          {devicesText.empty.words}
        </EmptyState>
      )}
      {!isEmpty && (rows || (failure && isFiltered)) && (
        <>
          <SelectorInput
            value={selector}
            onInput={setSelector}
            meaning={devicesText.means(words)}
            beside={
              count !== undefined && problem === undefined
                ? componentText.selector.match(formatNumber(count))
                : undefined
            }
            attributes={{ 'aria-label': devicesText.selector, type: 'search' }}
          />
          {isAddress && <Notice kind="warning" title={devicesText.address} />}
          <Table<Device>
            label={pageTitles.devices}
            rows={isAddress ? [] : (rows ?? [])}
            columns={deviceColumns}
            keyOf={({ device }) => device}
            hrefOf={({ device }) => deviceHref(device)}
            initialSort={byName}
            filteredBy={['selector']}
            given={{ total: isAddress ? 0 : count, onSight, hasOwnSearch: true }}
            tools={<ListSearch class="device-search" label={devicesText.search} value={typed} onCommit={setTyped} />}
          />
        </>
      )}
    </Page>
  );
}
