import { csvCell } from '@weft/contract/enrolment-line';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsvRow, parseCsv, parseCsvTable, requireWidth, toCsvLine } from './csv.ts';

async function all(rows: AsyncIterable<CsvRow>): Promise<CsvRow[]> {
  const found: CsvRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const rowsOf = (...pieces: string[]) => all(parseCsv(pieces));

const cellsOf = async (...pieces: string[]) => (await rowsOf(...pieces)).map(({ cells }) => cells);

/** What a spreadsheet would run and control characters are written as what is only seen. */
const shown = (text: string) => {
  const cell = csvCell(text);
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
};

describe('reading', () => {
  test('cells, quoted cells, and rows that end in any of the three ways', async () => {
    expect(await cellsOf('a,b\nc,d\r\ne,f\rg,h')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
    expect(await cellsOf('"a, ""b""",\n"two\nlines",""\n')).toEqual([
      ['a, "b"', ''],
      ['two\nlines', ''],
    ]);
  });

  test('a byte order mark is not part of the first cell, and empty lines are no rows', async () => {
    expect(await cellsOf('\uFEFFap_id\r\n\r\n\nroof-1\n\n')).toEqual([['ap_id'], ['roof-1']]);
    expect(await cellsOf('')).toEqual([]);
    expect(await cellsOf('\uFEFF"a"\n')).toEqual([['a']]);
  });

  test('rows know the line they begin at', async () => {
    const rows = await rowsOf('a\r\n\r\n"b\r\nb\nb"\nc\n"d\rd"\ne');
    expect(rows.map(({ line, cells: [cell] }) => [line, cell![0]])).toEqual([
      [1, 'a'],
      [3, 'b'],
      [6, 'c'],
      [7, 'd'],
      [9, 'e'],
    ]);
  });

  test.each([
    ['a,"b\nc,d', 'line 1: a quote is not closed'],
    ['a\nb"c"', 'line 2: a quote inside of a cell'],
    ['a\n"b"c', 'line 2: unexpected text after a closing quote'],
    [`"${'x'.repeat(1024 * 1024 + 1)}`, 'line 1: the row is too long'],
  ])('what cannot be read is refused with its line: %#', async (text, problem) => {
    await expect(rowsOf(text)).rejects.toThrow(problem);
  });

  test('what was written is read again, however the text is cut into pieces', async () => {
    const cell = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[",\r\n;a ]*$/),
      fc.constantFrom('', '\uFEFF', '\uFEFFa', '"', '\r\n'),
    );
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (written, size) => {
        const text = written.map(toCsvLine).join('');
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
          text.slice(n * size, (n + 1) * size),
        );
        expect(await cellsOf(...pieces)).toEqual(written.map((row) => row.map(shown)));
        expect(await rowsOf(...pieces)).toEqual(await rowsOf(text));
      }),
    );
  });
});

describe('a table', () => {
  test('has the columns of its first row, and rows that should be as wide', async () => {
    const { columns, rows } = await parseCsvTable(['ap_id, site\nroof-1,Bristol\n']);
    expect(columns).toEqual(['ap_id', 'site']);
    expect(await all(rows)).toEqual([{ line: 2, cells: ['roof-1', 'Bristol'] }]);
    const [, narrow] = await rowsOf('a,b\n3\n');
    expect(() => requireWidth(narrow!, ['a', 'b'])).toThrow('line 2: 1 cells instead of 2');
    expect(() => requireWidth(narrow!, ['a'])).not.toThrow();
  });

  test.each([
    ['', 'line 1: the file is empty'],
    ['ap_id;site\nroof-1;Bristol\n', 'line 1: the columns are separated by semicolons; export the table with commas'],
    ['ap_id\tsite\n', 'separated by tabs'],
    ['ap_id,,b\n', 'line 1: column 2 has no name'],
    ['ap_id,b,ap_id\n', 'two columns "ap_id"'],
  ])('is refused with a hint: %#', async (text, problem) => {
    await expect(parseCsvTable([text])).rejects.toThrow(problem);
  });
});
