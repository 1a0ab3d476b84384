// One action on many access points: as the interface takes it, what it changes at each, and how long it takes. Pure.
import type { AgentListItem, BulkAnswer, BulkRequest } from '../../../../api/client.ts';
import { formatNumber } from '../../../../format.ts';
import { agentsText } from '../../../../text/pages.ts';
import {
  type DeclaredCommand,
  toCommand,
  valueNow,
  type WrittenCommand,
  writeCommand,
} from '../../commands/declared-commands.ts';
import { listOf } from '../labels-dialog.tsx';

/** The values of the form; a command has those of CommandFields. Throws as `toCommand` does. */
export function bulkAction(
  values: Readonly<Record<string, string>>,
  commands: readonly DeclaredCommand[] | undefined,
): BulkRequest['action'] {
  const { kind, site = '', add_tags = '', remove_tags = '' } = values;
  if (kind === 'remove') return { remove: true };
  if (kind === 'command') return { command: writeCommand(toCommand(commands, values)) };
  const [added, removed] = [listOf(add_tags), listOf(remove_tags)];
  return {
    labels: {
      ...(site.trim() !== '' && { site: site.trim() }),
      ...(added.length > 0 && { add_tags: added }),
      ...(removed.length > 0 && { remove_tags: removed }),
    },
  };
}

/** Labels alone touch no access point, unless some get other settings by them. */
export function isFelt(kind: string | undefined, preview: Pick<BulkAnswer, 'reconfigured'> | undefined): boolean {
  return kind !== 'labels' || (preview?.reconfigured ?? 0) > 0;
}

type KnownAgent = Pick<AgentListItem, 'ap_id' | 'configuration' | 'latest'>;

/** What a command changes at an access point, as far as that is known: `dbm 20 → 14`. */
export function changeWords({ name, args }: WrittenCommand, { configuration = {}, latest }: KnownAgent): string {
  return Object.entries(args)
    .map(([arg, value]) => {
      const before = valueNow(name, arg, { configuration, latest });
      return `${arg} ${before === undefined ? '' : `${before} `}→ ${String(value)}`;
    })
    .join(', ');
}

/** How it ended, by the kind of the action. */
export function overWords(kind: string, totals: { done: number; refused: number; stopped: number }): string {
  const done = `${formatNumber(totals.done)} ${agentsText.bulk.finished[kind]}`;
  return `${done}, ${formatNumber(totals.refused)} refused, ${formatNumber(totals.stopped)} stopped`;
}

/** The pauses that are still to come, and a second for each wave. */
export function secondsLeft(waiting: number, { size, pause_seconds }: { size: number; pause_seconds: number }): number {
  return Math.ceil(waiting / size) * (pause_seconds + 1);
}
