// A list that changes while it is read: what is shown is in order, each row once, and reading all parts again shows what is there.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type PageStart, type SortedRows, startOf, withPage } from './device-reader.ts';

interface Row {
  name: string;
  value: number;
}

const nameOf = ({ name }: Row) => name;

/** As the server answers: a cursor says behind which name to go on. */
function read(list: readonly Row[], start: PageStart | undefined, limit: number) {
  const rest = list.filter(({ name }) => name > (start?.cursor ?? ''));
  const items = rest.slice(0, limit);
  return { items, next: items.length < rest.length ? items.at(-1)!.name : null };
}

const lists = fc
  .uniqueArray(fc.record({ name: fc.stringMatching(/^[a-f]{1,3}$/), value: fc.integer() }), { selector: nameOf })
  .map((rows) => rows.sort((a, b) => (a.name < b.name ? -1 : 1)));

it('grows to the whole list, page by page', () => {
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 7 }), (list, limit) => {
      let known = withPage<Row>(undefined, undefined, read(list, undefined, limit), nameOf);
      while (known.end) known = withPage(known, known.end, read(list, known.end, limit), nameOf);
      expect(known.rows).toEqual(list);
    }),
  );
});

it('stays in order whatever changes in between, and shows what is there once every part was read again', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 9 })), { maxLength: 12 });
  fc.assert(
    fc.property(lists, lists, fc.integer({ min: 1, max: 7 }), steps, (first, then, limit, looks) => {
      let known: SortedRows<Row> = withPage<Row>(undefined, undefined, read(first, undefined, limit), nameOf);
      while (known.end) known = withPage(known, known.end, read(first, known.end, limit), nameOf);
      for (const [index, size] of looks) {
        const start = startOf(known, index, nameOf);
        known = withPage(known, start, read(then, start, size), nameOf);
        const names = known.rows.map(nameOf);
        expect(names).toEqual([...new Set(names)].sort());
      }
      for (let start: PageStart | undefined; ; ) {
        const page = read(then, start, limit);
        known = withPage(known, start, page, nameOf);
        if (page.next === null) break;
        start = { after: page.next, cursor: page.next };
      }
      expect(known.rows).toEqual(then);
      expect(known.end).toBeUndefined();
    }),
  );
});

it('reads the part again in which a row stands', () => {
  const list = 'abcdefgh'.split('').map((name, value) => ({ name, value }));
  let known = withPage<Row>(undefined, undefined, read(list, undefined, 3), nameOf);
  expect(known.end).toEqual({ after: 'c', cursor: 'c' });
  known = withPage(known, known.end, read(list, known.end, 3), nameOf);
  expect(startOf(known, 0, nameOf)).toBeUndefined();
  expect(startOf(known, 4, nameOf)).toEqual({ after: 'c', cursor: 'c' });
  // A part in the middle is read again: the end stays where it was.
  known = withPage(known, undefined, read(list, undefined, 2), nameOf);
  expect(known.end).toEqual({ after: 'f', cursor: 'f' });
  expect(known.rows).toHaveLength(6);
});
