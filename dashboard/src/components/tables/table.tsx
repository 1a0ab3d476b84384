// A list of any length. Only the rows visible are drawn; sort and filter live in the address; the whole row opens, by
// mouse, touch, or Enter.
import './table.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatNumber } from '../../format.ts';
import { navigate, place, setQuery, useQueryState } from '../../router/location.ts';
import { componentText } from '../../text/components.ts';
import { Button, Icon } from '../button.tsx';
import { EmptyState, SkeletonLines } from '../feedback.tsx';
import { ListSearch } from '../forms/draft.tsx';
import { PhoneFold } from './filter-bar.tsx';
import {
  type Column,
  columnsThatFit,
  defaultWidth,
  filterRows,
  parseSort,
  type RowChoice,
  rowsInSight,
  type Sort,
  scrollToRow,
  sortRows,
  turnAll,
  turnChosen,
  writeSort,
} from './table-view.ts';

const rowHeight = 36;
/** As in table.css. */
const room = { gap: 16, padding: 16 };
const narrowRoom = { gap: 12, padding: 12 };
const narrowBelow = 560;

export { type Column, column, wideColumn } from './table-view.ts';

interface TableProps<Row> {
  label: string;
  /** Undefined while they are not known. */
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  /** Where a row leads. */
  hrefOf: (row: Row) => string;
  /** Default: where it leads. */
  keyOf?: (row: Row) => string;
  /** What the filter looks at; absent: there is no filter. */
  textOf?: (row: Row) => string;
  /** Which column it is sorted by at first, `-name` for downwards. */
  initialSort: string;
  /** Beside the filter. */
  tools?: ComponentChildren;
  /** Parameters of the address by which the page itself has filtered the rows. */
  filteredBy?: readonly string[];
  /** What is said when all rows are filtered out. */
  noMatch?: string;
  /** The rows are filtered and sorted already, by the address; there may be more of them than these. */
  given?: GivenRows;
  /** Rows can be chosen, by a box before each and with X; absent: they cannot. */
  choice?: RowChoice<Row> | undefined;
}

interface GivenRows {
  total: number | undefined;
  onEnd?: () => void;
  /** Which rows are drawn, `end` excluded, whenever that changes. */
  onSight?: (first: number, end: number) => void;
  /** The page has a field of its own to search in. */
  hasOwnSearch?: boolean;
  /** What is asked for cannot be read: these are the rows from before, and nothing is done with them. */
  isOld?: boolean;
}

const noRows: readonly never[] = [];

export function Table<Row>(props: TableProps<Row>) {
  const { label, rows: known, columns, textOf, initialSort, tools } = props;
  const { filteredBy = [], noMatch = 'Nothing matches this filter.', given } = props;
  const rows = known ?? (noRows as readonly Row[]);
  const [sortText, setSort] = useQueryState('sort', initialSort);
  const [filter, setFilter] = useQueryState('q');
  const sort = parseSort(sortText);
  const shown = useMemo(() => {
    if (given) return rows;
    const matching = textOf ? filterRows(rows, textOf, filter) : rows;
    const sortValueOf = columns.find(({ name }) => name === sort.column)?.sort;
    return sortValueOf ? sortRows(matching, sortValueOf, sort.isDown) : [...matching];
  }, [rows, filter, sort.column, sort.isDown, columns, textOf]);
  const filters = ['q', ...filteredBy];
  const address = new URLSearchParams(place.value.search);
  const isFiltered = filters.some((name) => address.has(name));
  const clear = () => setQuery(Object.fromEntries(filters.map((name) => [name, undefined])));
  const turn = (column: string) =>
    setSort(writeSort({ column, isDown: sort.column === column ? !sort.isDown : false }));

  return (
    <div class="table-frame">
      {(textOf || tools || given) && (
        <div class="table-tools">
          {(textOf || (given && !given.hasOwnSearch)) && (
            <ListSearch
              label={`Filter ${label.toLowerCase()}`}
              placeholder={componentText.table.filter}
              value={filter}
              onCommit={setFilter}
            />
          )}
          {tools && <PhoneFold count={filteredBy.filter((name) => address.has(name)).length}>{tools}</PhoneFold>}
          <span class="faint small" aria-live="polite">
            {!given?.isOld &&
              (given || shown.length === rows.length
                ? formatNumber(given?.total ?? rows.length)
                : componentText.progress(String(shown.length), String(rows.length)))}
          </span>
        </div>
      )}
      {known === undefined ? (
        <SkeletonLines count={10} />
      ) : shown.length === 0 && isFiltered ? (
        <EmptyState title={noMatch} actions={<Button onClick={clear}>Clear filter</Button>} />
      ) : (
        <TableBody {...props} {...{ sort, turn }} rows={shown} />
      )}
    </div>
  );
}

type TableBodyProps<Row> = Omit<TableProps<Row>, 'rows'> & {
  rows: readonly Row[];
  sort: Sort;
  turn: (column: string) => void;
};

function TableBody<Row>(props: TableBodyProps<Row>) {
  const { label, rows, columns: allColumns, hrefOf, keyOf = hrefOf, sort, turn, given, choice } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  const [width, setWidth] = useState(0);
  const [active, setActive] = useState(-1);
  const [at, setAt] = useQueryState('at');
  useLayoutEffect(() => {
    const element = scroller.current!;
    element.scrollTop = Number(at) * rowHeight || 0;
    const measure = () => {
      setSight({ top: element.scrollTop, height: element.clientHeight });
      setWidth(element.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
    // Only where the page was when it was left.
  }, []);
  // The place is written once scrolling has come to rest.
  const rest = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const onScroll = (event: Event) => {
    const { scrollTop, clientHeight } = event.currentTarget as HTMLElement;
    setSight({ top: scrollTop, height: clientHeight });
    clearTimeout(rest.current);
    const row = scrollTop < rowHeight ? '' : String(Math.floor(scrollTop / rowHeight));
    rest.current = window.setTimeout(() => setAt(row), 250);
  };
  const { first, end } = rowsInSight(sight.top, sight.height, rowHeight, rows.length);
  useEffect(() => {
    if (end === rows.length) given?.onEnd?.();
    given?.onSight?.(first, end);
  }, [first, end, rows.length]);
  const isNarrow = width < narrowBelow;
  const columns = useMemo(
    () => columnsThatFit(allColumns, width, isNarrow ? narrowRoom : room),
    [allColumns, width, isNarrow],
  );
  const isShown = (column: string) => columns.some(({ name }) => name === column);
  const template = columns.map(({ width = defaultWidth }) => width).join(' ');
  const idOf = (index: number) => `row-${index}`;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current) return;
    const page = Math.max(1, Math.floor(sight.height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[active];
    if (event.key === 'Enter' && row !== undefined) navigate(hrefOf(row));
    if (event.key.toLowerCase() === 'x' && row !== undefined && choice) turnChosen(choice, keyOf(row));
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, step));
    setActive(next);
    const element = scroller.current!;
    // The head of the table covers the first row's height.
    element.scrollTop = scrollToRow(next, element.scrollTop, element.clientHeight - rowHeight, rowHeight);
  };

  return (
    <div
      class={`table ${isNarrow ? 'is-narrow' : ''} ${given?.isOld ? 'is-old' : ''}`}
      inert={given?.isOld}
      role="grid"
      aria-label={label}
      aria-rowcount={(given?.total ?? rows.length) + 1}
      aria-activedescendant={active >= first && active < end ? idOf(active) : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      style={{ '--columns': template }}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        {columns.map(({ name, title, sort: canSort, align }, place) => (
          <div
            key={name}
            role="columnheader"
            class={align}
            aria-sort={sort.column === name ? (sort.isDown ? 'descending' : 'ascending') : undefined}
          >
            {place === 0 && choice && (
              <input
                type="checkbox"
                aria-label="Select all that are listed"
                checked={rows.length > 0 && rows.every((row) => choice.chosen.has(keyOf(row)))}
                onChange={() => turnAll(choice, rows.map(keyOf))}
              />
            )}
            {canSort || given ? (
              <button type="button" onClick={() => turn(name)}>
                {title}
                {sort.column === name && <Icon name={sort.isDown ? 'sort-down' : 'sort-up'} size={14} />}
              </button>
            ) : (
              title
            )}
          </div>
        ))}
      </div>
      <div class="table-rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, end).map((row, offset) => {
          const index = first + offset;
          const href = hrefOf(row);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the table opens the active row
            <div
              key={keyOf(row)}
              id={idOf(index)}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              aria-selected={index === active}
              class="table-row"
              style={{ transform: `translateY(${index * rowHeight}px)` }}
              onClick={(event) => {
                if (!(event.target as Element).closest('a, button, input, label')) navigate(href);
              }}
            >
              {columns.map(({ name, cell, align }, place) => (
                <div key={name} role="gridcell" class={align}>
                  {place === 0 && choice && (
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={choice.labelOf(row)}
                      checked={choice.chosen.has(keyOf(row))}
                      onChange={() => turnChosen(choice, keyOf(row))}
                    />
                  )}
                  {place === 0 ? (
                    <a href={href} tabIndex={-1}>
                      {cell(row, isShown)}
                    </a>
                  ) : (
                    cell(row, isShown)
                  )}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
