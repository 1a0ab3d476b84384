// The table of docs/alarms.md (and where tables stand on their pages): each rule judged on worlds that nobody has chosen limits on.
import { productRules } from '../../controller/src/operations/alarms/rules/product-rules.ts';
import { expectations } from './expectations.ts';
import { delayBoundS, flapsWithLateSamples, judge } from './judge.ts';
import type { RecordedWorld } from './record-world.ts';

const begin = '<!-- truth: made by research/truth/alarm-truth.ts -->';
const end = '<!-- end of truth -->';

export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('the page has no place for the table');
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`;
}

export function truthTable(worlds: readonly RecordedWorld[]): string {
  const rows = expectations.map((expectation) => {
    const rule = productRules.get(expectation.rule)!;
    const { found, mattering, small, smallFound, alarms, caused, delaysS } = judge(rule, expectation, worlds);
    const flaps = rule.condition.metric === undefined ? undefined : flapsWithLateSamples(rule, worlds);
    const middle = delaysS[Math.floor(delaysS.length / 2)];
    return [
      rule.name,
      expectation.line ?? 'no such fault in the emulator',
      expectation.cause === undefined ? '' : `${found} of ${mattering}`,
      expectation.cause === undefined ? '' : `${smallFound} of ${small}`,
      `${caused} of ${alarms}`,
      middle === undefined ? '' : `${Math.round(middle)}, ${Math.round(delaysS.at(-1)!)} s (${delayBoundS(rule)} s)`,
      flaps === undefined ? '' : `${flaps.inTime}, ${flaps.late}; ${flaps.flaps}`,
    ];
  });
  const head = [
    'Rule',
    'Faults that matter',
    'Found',
    'Smaller ones',
    'Alarms with that cause',
    'Delay: median, longest (bound)',
    'Alarms with samples in time, late; flaps',
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
