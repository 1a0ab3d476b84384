// Tables as people see them: at every width, with short and with full names, with and without colours.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Look, naturally, toTable } from './table.ts';

const wide: Look = { isWide: true, isIso: false, hasColor: false };
const narrow: Look = { ...wide, isWide: false };
const name = 'emu-5g-626f2e07-2ec2-4413-968c-acbbaf5ed64f-12';
const head = ['ACCESS POINT', 'TYPE', 'STATE', 'LAST SEEN', 'COMMANDS', 'WHY'];
const row = [name, '5G', 'offline', '2026-11-15 09:05:07', 'ready', 'no report for 2 intervals and no channel'];

test('keeps its columns, and lets no escape code through', () => {
  const rows = [
    ['a', '1'],
    ['longer', '\x1b[31mred\x1b[0m\n'],
  ];
  expect(toTable(['NAME', 'WHY'], rows, {}, wide)).toBe('NAME    WHY\na       1\nlonger  �[31mred�[0m�\n');
});

describe('names', () => {
  test('are short on a terminal, and full with --wide', () => {
    const [, short] = toTable(['ACCESS POINT'], [[name]], { columns: 80 }, narrow).split('\n');
    expect(short).toBe('emu-5g-626f2e07…-12');
    expect(toTable(head, [row], { columns: 80 }, wide)).toContain(
      `${name}  5G    offline  2026-11-15 09:05:07  ready     no report for 2 intervals and no channel`,
    );
  });

  test('keep their number where there is no room', () => {
    const [, cut] = toTable(
      ['ACCESS POINT'],
      [['a-very-long-name-of-an-access-point-17']],
      { columns: 20 },
      narrow,
    ).split('\n');
    expect(cut).toHaveLength(20);
    expect(cut).toMatch(/^a-very-long-.*-17$/);
  });

  test('are cut in one place, however narrow the terminal is', () => {
    for (let columns = 8; columns < 40; columns++) {
      for (const cells of [[name], ['a', name], [`${name} ${name}`, '1']]) {
        const head = cells.map((_, n) => `H${n}`);
        const [, shown] = toTable(head, [cells], { columns }, narrow).split('\n');
        for (const cell of shown!.split('  ')) if (!cell.includes(' ')) expect(cell).not.toMatch(/…[^ ]*…/);
      }
    }
  });

  test('are in the order that people expect', () => {
    const names = ['roof-10', 'roof-2', 'Roof-1', 'hall-1', 'roof-1'];
    expect(names.toSorted(naturally)).toEqual(['hall-1', 'roof-1', 'Roof-1', 'roof-2', 'roof-10']);
  });
});

test('columns that must be whole are, and others are left out', () => {
  const lines = toTable(head, [row], { columns: 80 }, narrow, 2).trimEnd().split('\n');
  expect(lines[0]).toMatch(/^ACCESS POINT +TYPE +STATE +LAST SEEN +COMMANDS$/);
  const short = 'emu-5g-626f2e07-12';
  for (const columns of [10, 40, 60]) {
    const [, shown] = toTable(
      ['NAME', 'ID', 'WHY'],
      [['bristol-5g-12', short, 'x'.repeat(50)]],
      { columns },
      narrow,
      2,
    ).split('\n');
    if (columns > 40) expect(shown).toBe(`bristol-5g-12  ${short}`);
  }
});

describe('widths', () => {
  test('at 80 columns every column is there', () => {
    const lines = toTable(head, [row], { columns: 80 }, narrow).trimEnd().split('\n');
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
    for (const title of head) expect(lines[0]).toContain(title);
    expect(lines[1]).toMatch(/^emu-5g.*-12 +5G +offline +2026-11-15 09:05:07 +ready +no /);
  });

  test('a terminal with 0 columns is one with 80', () => {
    expect(toTable(head, [row], { columns: 0 }, narrow)).toBe(toTable(head, [row], { columns: 80 }, narrow));
    expect(toTable(head, [row], {}, narrow)).toBe(toTable(head, [row], { columns: 80 }, narrow));
  });

  test('no line is longer than the terminal, and all have the same columns', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string(), fc.string()), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 24, max: 200 }),
        (rows, columns) => {
          // A row may be all empty: only the last line break is none.
          const lines = toTable(['NAME', 'STATE', 'WHY'], rows, { columns }, narrow).slice(0, -1).split('\n');
          expect(lines).toHaveLength(rows.length + 1);
          for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

test('states have colours if the terminal has, and the rest stays in its place', () => {
  const colored = toTable(['NAME', 'STATE', 'WHY'], [['a', 'online', 'x']], {}, { ...wide, hasColor: true });
  expect(colored).toContain('\x1b[32monline\x1b[0m');
  const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
  expect(colored.replaceAll(escapes, '')).toBe(toTable(['NAME', 'STATE', 'WHY'], [['a', 'online', 'x']], {}, wide));
});
