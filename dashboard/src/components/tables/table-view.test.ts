// Sorting, filtering and what is visible.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  columnsThatFit,
  filterRows,
  parseSort,
  rowsInSight,
  scrollToRow,
  sortRows,
  turnAll,
  writeSort,
} from './table-view.ts';

describe('rows', () => {
  const same = (value: string | number | undefined) => value;

  it('are sorted as people count, those without a value last either way', () => {
    expect(sortRows(['ap-10', undefined, 'ap-2', 'AP-1'], same, false)).toEqual(['AP-1', 'ap-2', 'ap-10', undefined]);
    expect(sortRows([2, undefined, 10, -1], same, true)).toEqual([10, 2, -1, undefined]);
  });

  it('that are equal keep their order', () => {
    const rows = [1, 2, 3].map((id) => ({ id, name: 'x' }));
    expect(sortRows(rows, ({ name }) => name, true).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('stay if every word of the filter is in them', () => {
    const rows = ['ap-1 WiFi roof', 'ap-2 LiFi roof', 'ap-3 WiFi cellar'];
    expect(filterRows(rows, (row) => row, ' wifi  ROOF ')).toEqual(['ap-1 WiFi roof']);
    expect(filterRows(rows, (row) => row, '')).toEqual(rows);
  });

  it('a sort is written into an address and read again', () => {
    for (const text of ['name', '-name']) expect(writeSort(parseSort(text))).toBe(text);
  });
});

describe('columns', () => {
  const room = { gap: 16, padding: 16 };
  const column = fc.record({
    width: fc.oneof(
      fc.integer({ min: 40, max: 300 }).map((px) => `${px}px`),
      fc.constant('minmax(90px, 2fr)'),
    ),
    isWideOnly: fc.boolean(),
  });
  const tables = fc
    .array(column, { minLength: 1, maxLength: 9 })
    .map((columns) => columns.map((one, index) => ({ ...one, name: String(index) })));
  const least = ({ width }: { width: string }) => Number(/(\d+)px/.exec(width)![1]);

  it('of any table: the first stays, the rest have the width they need, and more room never shows fewer', () => {
    fc.assert(
      fc.property(tables, fc.nat(2000), fc.nat(500), (columns, width, more) => {
        const shown = columnsThatFit(columns, width, room);
        expect(shown[0]).toBe(columns[0]);
        expect(shown).toEqual(columns.filter((one) => shown.includes(one)));
        const needed = shown.reduce((sum, one) => sum + least(one) + 16, 16);
        if (shown.length > 1) expect(needed).toBeLessThanOrEqual(width);
        expect(columnsThatFit(columns, width + more, room).length).toBeGreaterThanOrEqual(shown.length);
      }),
    );
  });

  it('those for wide tables go first, from the right', () => {
    const columns = [
      { name: 'name', width: 'minmax(160px, 2fr)' },
      { name: 'type', width: '72px', isWideOnly: true },
      { name: 'state', width: '96px' },
      { name: 'site', isWideOnly: true },
    ];
    const names = (width: number) => columnsThatFit(columns, width, room).map(({ name }) => name);
    expect(names(528)).toEqual(['name', 'type', 'state', 'site']);
    expect(names(527)).toEqual(['name', 'type', 'state']);
    expect(names(391)).toEqual(['name', 'state']);
    expect(names(200)).toEqual(['name']);
  });
});

describe('what is visible', () => {
  it('covers the window and stays within the rows, wherever it is scrolled', () => {
    fc.assert(
      fc.property(fc.nat(400_000), fc.nat(2000), fc.nat(10_000), (scrollTop, height, count) => {
        const { first, end } = rowsInSight(scrollTop, height, 36, count);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(height / 36) + 26);
        const last = Math.min(count, Math.ceil((scrollTop + height) / 36));
        if (scrollTop < count * 36) {
          expect(first).toBeLessThanOrEqual(Math.floor(scrollTop / 36));
          expect(end).toBeGreaterThanOrEqual(last);
        }
      }),
    );
  });

  it('moves no further than needed to show a row', () => {
    expect(scrollToRow(5, 0, 360, 36)).toBe(0);
    expect(scrollToRow(10, 0, 360, 36)).toBe(36);
    expect(scrollToRow(2, 360, 360, 36)).toBe(72);
  });
});

it('the box in the head chooses all that are listed, or none of them', () => {
  let chosen: ReadonlySet<string> = new Set(['elsewhere', 'a']);
  const turn = () => turnAll({ chosen, onChange: (next) => (chosen = next), labelOf: String }, ['a', 'b']);
  turn();
  expect([...chosen].sort()).toEqual(['a', 'b', 'elsewhere']);
  turn();
  expect([...chosen]).toEqual(['elsewhere']);
});
