// What the tests of the lab tell their reader.
import { onTestFailed } from 'vitest';
import type { LabNetwork } from './lab-network.ts';

export function tellLogsIfFailed(lab: LabNetwork): void {
  onTestFailed(() => void process.stderr.write(lab.logs()));
}

/** What hostapd itself says, for example. */
export function show(title: string, lines: readonly string[]): void {
  process.stdout.write([`\n${title}`, ...lines.map((line) => `  ${line}`), ''].join('\n'));
}
