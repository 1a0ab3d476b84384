// `npm run truth:alarms`: how well the rules that come with Weft find emulated faults. Their limits were chosen on the worlds of seeds 1
// to 10 (`--choose` shows by what); they are judged on those of seeds 101 to 110, and the table in docs/alarms.md is written
// from that. The output is deterministic. Takes some minutes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AlarmRuleInput } from '@weft/contract/operations';
import { productRules } from '../../controller/src/operations/alarms/rules/product-rules.ts';
import { expectations } from './expectations.ts';
import { type Kinds, programKinds } from './fault-plan.ts';
import { incidentTable } from './incident-truth.ts';
import { judge, type Verdict } from './judge.ts';
import { type RecordedWorld, recordWorld } from './record-world.ts';
import { truthTable, withTable } from './truth-table.ts';

const seeds = (from: number) => Array.from({ length: 10 }, (_, n) => from + n);

if (process.argv.includes('--choose')) choose(record(seeds(1)));
else {
  const worlds = record(seeds(101));
  write('alarms.md', truthTable(worlds));
  write('incidents.md', incidentTable([...worlds, ...record(seeds(301), programKinds)]));
}

function write(name: string, table: string): void {
  const page = join(import.meta.dirname, '../../docs', name);
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), table));
}

function record(list: number[], kinds?: Kinds): RecordedWorld[] {
  return list.map((seed) => {
    process.stderr.write(`world ${seed}\n`);
    return recordWorld(seed, kinds);
  });
}

/** For each rule with a limit and a cause: what other limits would do. */
function choose(worlds: RecordedWorld[]): void {
  for (const expectation of expectations) {
    const rule = productRules.get(expectation.rule)!;
    const { value } = rule.condition;
    if (value === undefined) continue;
    for (const share of [0.5, 0.7, 0.85, 1, 1.15, 1.3, 1.5]) {
      const limit = Math.round(value * share * 100) / 100;
      const verdict = judge(withLimit(rule, limit), expectation, worlds);
      process.stdout.write(`${expectation.rule} ${limit}${share === 1 ? ' (now)' : ''}: ${inWords(verdict)}\n`);
    }
  }
}

function withLimit(rule: AlarmRuleInput, value: number): AlarmRuleInput {
  return { ...rule, condition: { ...rule.condition, value }, clear: { ...rule.clear, value } };
}

function inWords({ found, mattering, smallFound, small, alarms, caused }: Verdict): string {
  return `found ${found} of ${mattering}, ${smallFound} of ${small} small ones; ${caused} of ${alarms} alarms had the cause`;
}
