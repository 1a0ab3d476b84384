// `weft energy`: what access points have drawn, by site or technology, and how much of the time is known.
import type { Energy } from '@weft/sdk';
import { type Command, printResult, unknownValue } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { counted, lookOf, toTable } from '../table.ts';

const groups = ['technology', 'site'] as const;

export const energyCommand: Command = {
  summary: 'energy that access points have drawn, with its cost and CO₂',
  usage: ['energy [--window DURATION] [--select SELECTOR] [--by technology|site]'],
  about: `Adds up the power that access points reported. Hours without reports are in the last column, and no energy for them. Price and CO₂ are settings of the server.
${identityHelp}`,
  options: {
    window: { value: 'DURATION', about: 'how far back, such as 7d (default: 24h)' },
    select: { value: 'SELECTOR', about: 'only these access points' },
    by: { value: 'GROUP', about: 'technology (default) or site' },
    ...listOptions,
  },
  examples: ['energy --window 7d --by site'],
  async run(line, around) {
    const by = line.get('by') ?? groups[0];
    if (!groups.includes(by as never)) throw unknownValue('--by', by, [...groups]);
    const found = await connect(line, around).energy({ window: line.get('window'), selector: line.get('select') });
    if (line.has('json')) return printResult(found, '', line, around);
    around.stdout.write(toTable(head, toRows(found, by), around.stdout, lookOf(line, around)));
    if (found.unmeasured > 0) around.stderr.write(`${counted(found.unmeasured, 'access point')} reported no power.\n`);
  },
};

const head = ['NAME', 'ACCESS POINTS', 'KWH', 'COST', 'CO2 KG', 'HOURS MEASURED', 'HOURS MISSING'];

function toRows({ total, technologies, sites, currency }: Energy, by: string): string[][] {
  return [...(by === 'site' ? sites : technologies), { ...total, name: 'all' }].map((use) => [
    ...[use.name ?? '-', `${use.access_points}`, use.kwh.toFixed(3), `${use.cost.toFixed(2)} ${currency}`],
    ...[use.co2_kg, use.measured_hours, use.missing_hours].map((value) => value.toFixed(1)),
  ]);
}
