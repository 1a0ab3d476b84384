// `weft audit verify`: verifies that the audit log was not changed.

import { type CommandLine, exitCode, type Surroundings, toInterfaceJson, UsageError } from '@weft/cli';
import { readConfig } from './read-config.ts';

export async function auditCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const notedHash = line.get('head')?.trim().toLowerCase();
  if (notedHash !== undefined && !/^[0-9a-f]{64}$/.test(notedHash)) {
    throw new UsageError('--head must be a hash of 64 hexadecimal digits.');
  }
  const config = readConfig(line, around.env);

  const { openAuditLog } = await import('../offline.ts');
  const log = await openAuditLog(config);
  try {
    const result = await log.verify(notedHash === undefined ? {} : { notedHash });
    if (line.has('json')) around.stdout.write(`${toInterfaceJson(result)}\n`);
    else if (result.isWhole)
      around.stdout.write(
        `The audit log is intact: ${result.count} entries.\n${result.head}\n${sealWords(result.seals)}\n`,
      );
    else around.stdout.write(`The audit log is broken at entry ${result.seq}: ${result.reason}.\n`);
    return result.isWhole ? exitCode.ok : exitCode.failure;
  } finally {
    await log.close();
  }
}

/** Which of the two chains could be checked. */
function sealWords({ checked, without, unknown }: { checked: number; without: number; unknown: number }): string {
  const older = without > 0 ? `, ${without} from before there were seals` : '';
  if (unknown > 0) {
    return `Hashes checked. Seals: ${checked} checked${older}, ${unknown} not, because their secret is not configured (WEFT_SECRET, WEFT_SECRET_PREVIOUS).`;
  }
  return checked > 0 ? `Hashes and seals checked: ${checked} seals${older}.` : `Hashes checked; no seals${older}.`;
}
