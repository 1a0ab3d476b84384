// What the form and the document say of faults is what the emulator does.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { emulatorText } from '../../dashboard/src/text/pages.ts';
import { type FaultKind, faultKinds, toFault } from '../../emulator/src/access-points/faults.ts';
import { jammerDuty } from '../../emulator/src/world/jammers.ts';

const page = readFileSync(new URL('../../docs/emulator.md', import.meta.url), 'utf8');
const rowOf = (kind: string) => page.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`)) ?? '';

it.each(faultKinds.filter((kind) => emulatorText.amounts[kind]))('%s has its default amount and range', (kind) => {
  const usual = toFault({ kind: kind as FaultKind, seconds: 1 }, 0).amount;
  const { hint } = emulatorText.amounts[kind]!;
  const [, range, told] = /^(.+); default: (.+)$/.exec(hint)!;
  expect([Number(told), rowOf(kind).includes(` ${range}`)]).toEqual([usual, true]);
  expect(rowOf(kind)).toMatch(new RegExp(` ${usual} \\|$`));
});

it('a jammer sends so much of the time, with a power in dBm', () => {
  const share = `${jammerDuty * 100} % of the time`;
  expect(
    [emulatorText.faultWords.jammed_channel, rowOf('jammed_channel')].map((words) => words.includes(share)),
  ).toEqual([true, true]);
  expect([emulatorText.amounts.jammed_channel!.label, rowOf('jammed_channel')].join()).toMatch(/dBm,.*dBm/);
});
