// What an app may do, as a sentence. Pure. Only what has a meaning to Weft is told, by the rules of the server: a key that
// is absent does not restrict.
import { effectivePermissions } from '@weft/contract/app-permissions';
import { useMemo } from 'preact/hooks';
import { serverNow } from '../../../data/freshness.ts';
import { formatNumber } from '../../../format.ts';

const text = {
  noAgents: 'no access points',
  noCommand: 'may not send commands',
  send: 'may send ',
  to: ' to ',
  them: 'them',
};

/** Plain words, and names that somebody chose: those are set apart wherever it is shown. */
export type SentencePart = string | { name: string };

export function permissionSentence(permissions: Record<string, unknown>, nowMs = serverNow()): SentencePart[] {
  const { agents, selector, read, commands, emulator, priority, expires_at } = effectivePermissions(permissions);
  const until = typeof expires_at === 'string' ? Date.parse(expires_at) : Number.NaN;
  if (until <= nowMs) return [`expired on ${formatDay(until)}: no permissions`];
  const named = namesOf(agents);
  const whom = typeof selector === 'string' && named?.length !== 0 ? [...(named ?? []), selector] : named;
  const clauses: SentencePart[][] = [
    readClause(read, whom),
    commandClause(commands, whom, read !== false),
    [emulatorClause(emulator)],
    [`priority ${formatNumber(typeof priority === 'number' ? priority : 50)}`],
    [Number.isFinite(until) ? `expires on ${formatDay(until)}` : 'no expiry'],
  ];
  return clauses.flatMap((clause, index) => (index === 0 ? clause : ['; ', ...clause]));
}

export function sentenceText(parts: readonly SentencePart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

function readClause(read: unknown, whom: string[] | undefined): SentencePart[] {
  if (read === false) return ['may not read'];
  if (whom === undefined) return ['may read all access points'];
  return ['may read ', ...(whom.length === 0 ? [text.noAgents] : listOf(whom))];
}

function commandClause(commands: unknown, whom: string[] | undefined, wasTold: boolean): SentencePart[] {
  const target: SentencePart[] =
    whom === undefined
      ? [wasTold ? text.them : 'all access points']
      : whom.length === 0
        ? [text.noAgents]
        : wasTold
          ? [text.them]
          : listOf(whom);
  if (commands === undefined || commands === true) return ['may send any command to ', ...target];
  const names = namesOf(commands);
  if (names) return names.length === 0 ? [text.noCommand] : [text.send, ...listOf(names), text.to, ...target];
  if (typeof commands !== 'object' || commands === null) return [text.noCommand];
  const limited = Object.entries(commands);
  if (limited.length === 0) return [text.noCommand];
  const each = limited.map(([name, limits]): SentencePart[] => {
    const bounds = Object.entries((limits ?? {}) as Record<string, { min?: number; max?: number }>).flatMap(
      ([argument, bound]) => boundWords(argument, bound) ?? [],
    );
    return bounds.length === 0 ? [{ name }] : [{ name }, ` (${bounds.join(', ')})`];
  });
  return [text.send, ...join(each), text.to, ...target];
}

function boundWords(argument: string, bound: { min?: number; max?: number } | null): string | undefined {
  const { min, max } = bound ?? {};
  if (min !== undefined && max !== undefined) return `${argument} from ${formatNumber(min)} to ${formatNumber(max)}`;
  if (min !== undefined) return `${argument} from ${formatNumber(min)}`;
  return max === undefined ? undefined : `${argument} up to ${formatNumber(max)}`;
}

function emulatorClause(emulator: unknown): string {
  if (emulator === undefined || emulator === true) return 'may start emulated access points';
  const max = (emulator as { max_access_points?: unknown } | null)?.max_access_points;
  return typeof max === 'number' && max > 0
    ? `may start up to ${formatNumber(max)} emulated access points`
    : 'may not start emulated access points';
}

/** Undefined for what is no list of names. */
function namesOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined;
}

function listOf(names: readonly string[]): SentencePart[] {
  return join(names.map((name) => [{ name }]));
}

function join(items: readonly SentencePart[][]): SentencePart[] {
  return items.flatMap((item, index) => {
    if (index === 0) return item;
    return [index === items.length - 1 ? ' and ' : ', ', ...item];
  });
}

function formatDay(ms: number): string {
  return new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

export function PermissionWords({ permissions }: { permissions: Record<string, unknown> }) {
  const parts = useMemo(() => permissionSentence(permissions), [permissions]);
  return <>{parts.map((part, index) => (typeof part === 'string' ? part : <code key={index}>{part.name}</code>))}</>;
}
