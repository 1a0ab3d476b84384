// `weft conflicts replay`: what other rules would have decided. `weft conflicts verify`: verifies the log of decisions.
import { readFileSync } from 'node:fs';
import { type CommandLine, exitCode, type Surroundings, toInterfaceJson, toMoment, UsageError } from '@weft/cli';
import { parseConflictRules } from '../core/commands/arbitration/conflict-rules.ts';
import { defaultConflictRules } from '../core/commands/arbitration/parameter-groups.ts';
import { ConflictReplay, type ReplayReport } from '../core/commands/replay/conflict-replay.ts';
import { auditCommand } from './audit-command.ts';
import { readConfig } from './read-config.ts';

const pageSize = 500;
const shownDifferences = 20;

export async function conflictsCommand(line: CommandLine, around: Surroundings): Promise<number> {
  if (line.words[0] === 'verify') return auditCommand(line, around);
  const rules = readRules(line.get('rules'));
  const config = readConfig(line, around.env);

  const { openAuditLog } = await import('../offline.ts');
  const log = await openAuditLog(config);
  try {
    const replay = new ConflictReplay(rules);
    for (let next = 1; ; ) {
      const page = await log.page(next, pageSize);
      for (const { action, detail } of page) {
        const record = action === 'command_decided' ? JSON.parse(detail) : undefined;
        // A decision that was too large for the log cannot be replayed.
        if (record?.intent) replay.add(record);
      }
      if (page.length === 0) break;
      next = page.at(-1)!.seq + 1;
    }
    const report = replay.report();
    around.stdout.write(line.has('json') ? `${toInterfaceJson(report)}\n` : inWords(report));
    return exitCode.ok;
  } finally {
    await log.close();
  }
}

function readRules(file: string | undefined) {
  if (file === undefined) return defaultConflictRules;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    return parseConflictRules(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not JSON: ${error.message}`);
    throw error;
  }
}

function inWords({ decisions, differing, differences, before, after }: ReplayReport): string {
  const lines = [
    `${decisions} decisions, ${differing} of them would have been different.`,
    `Recorded:   ${counts(before)}`,
    `Replayed:   ${counts(after)}`,
    ...differences.slice(0, shownDifferences).map((difference) => {
      const { at, caller_name, parameter, ap_id } = difference;
      const change = `${difference.before.verdict} (${difference.before.reason}) → ${difference.after.verdict} (${difference.after.reason})`;
      return `${toMoment(at)} ${caller_name}, ${parameter} of ${ap_id}: ${change}`;
    }),
  ];
  if (differing > shownDifferences) lines.push('… --json shows more.');
  return `${lines.join('\n')}\n`;
}

function counts(of: Partial<Record<string, number>>): string {
  const words = Object.entries(of).map(([word, count]) => `${count} ${word}`);
  return words.length > 0 ? words.join(', ') : 'none';
}
