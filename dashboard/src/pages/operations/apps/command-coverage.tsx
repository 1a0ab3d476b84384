// What a permission means for the access points that there are: how many its patterns match, which commands they declare,
// and which of the named commands none of them knows.
import { closestName } from '@weft/contract/closest-name';
import { readDeclaredCommands } from '@weft/contract/declared-commands';
import { matchesGlob } from '@weft/contract/glob';
import { useMemo } from 'preact/hooks';
import { Icon } from '../../../components/button.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { namedCommands, type PermissionFormState, patternsOf, readLimits } from './permission-form.ts';

export interface Coverage {
  /** How many access points match. */
  matching: number;
  /** How many of them declare no commands: anything may be sent to them. */
  undeclared: number;
  /** Name -> how many of them declare it, the most common first. */
  commands: Map<string, number>;
}

interface Configured {
  ap_id: string;
  configuration: Record<string, unknown>;
}

/** Without patterns: all of them. */
export function coverageOf(agents: readonly Configured[], patterns: readonly string[] | undefined): Coverage {
  const matching = patterns
    ? agents.filter(({ ap_id }) => patterns.some((pattern) => matchesGlob(pattern, ap_id)))
    : agents;
  const counts = new Map<string, number>();
  let undeclared = 0;
  for (const { configuration } of matching) {
    const declared = readDeclaredCommands(configuration);
    if (!declared) undeclared++;
    for (const name of declared?.keys() ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, many], [b, more]) => more - many || a.localeCompare(b));
  return { matching: matching.length, undeclared, commands: new Map(sorted) };
}

/** A declared command that somebody may have meant. */
export function similarCommand(name: string, { commands }: Coverage): string | undefined {
  return commands.has(name) ? undefined : closestName(name, [...commands.keys()]);
}

const maxSuggested = 24;

/** Undefined until the access points are known. */
function useCoverage(form: PermissionFormState): Coverage | undefined {
  const { data } = useOperation('metrics_agent_details', { query: {} }, { pollMs: 30_000 });
  const patterns = JSON.stringify(patternsOf(form.values.value) ?? null);
  return useMemo(() => data && coverageOf(data, JSON.parse(patterns) ?? undefined), [data, patterns]);
}

export function PatternMatches({ form }: { form: PermissionFormState }) {
  const coverage = useCoverage(form);
  const patterns = patternsOf(form.values.value);
  if (!coverage || patterns?.length === 0) return null;
  const isNone = coverage.matching === 0;
  return (
    <p class={`small coverage-line ${isNone ? 'is-warning' : 'soft'}`} aria-live="polite">
      {isNone && <Icon name="warning" size={14} />}
      {isNone
        ? 'No access point matches these patterns now.'
        : `Matching access points now: ${formatNumber(coverage.matching)}`}
    </p>
  );
}

export function NamedCommands({ form }: { form: PermissionFormState }) {
  const coverage = useCoverage(form);
  const names = namedCommands(form.values.value);
  if (!coverage || names.length === 0) return null;
  return (
    <ul class="coverage-list small" aria-live="polite">
      {names.map((name) => (
        <NamedCommand key={name} name={name} coverage={coverage} />
      ))}
    </ul>
  );
}

function NamedCommand({ name, coverage }: { name: string; coverage: Coverage }) {
  const count = coverage.commands.get(name) ?? 0;
  if (count > 0) {
    return (
      <li class="coverage-line soft">
        <Icon name="check" size={14} />
        <span>
          <code>{name}</code> {`declared by ${formatNumber(count)} of ${formatNumber(coverage.matching)} access points`}
        </span>
      </li>
    );
  }
  const similar = similarCommand(name, coverage);
  return (
    <li class="coverage-line is-warning">
      <Icon name="warning" size={14} />
      <span>
        <code>{name}</code>{' '}
        {coverage.undeclared > 0
          ? `No access point declares it. ${formatNumber(coverage.undeclared)} access points declare no commands and take any.`
          : 'No access point declares it. Check the spelling.'}
        {similar !== undefined && ` Did you mean ${similar}?`}
      </span>
    </li>
  );
}

/** Commands that can be added with one click. */
export function CommandSuggestions({ form }: { form: PermissionFormState }) {
  const coverage = useCoverage(form);
  const named = new Set(namedCommands(form.values.value));
  const others = [...(coverage?.commands ?? [])].filter(([name]) => !named.has(name)).slice(0, maxSuggested);
  if (!coverage || others.length === 0) return null;
  return (
    <div class="coverage-suggestions small">
      <span class="soft">Declared by these access points:</span>
      {others.map(([name, count]) => (
        <button key={name} type="button" class="mono" onClick={() => addCommand(form, name)}>
          <span class="visually-hidden">{'Add '}</span>
          {name}
          <span class="visually-hidden">{', declared by '}</span>
          <span class="faint"> {formatNumber(count)}</span>
        </button>
      ))}
    </div>
  );
}

function addCommand(form: PermissionFormState, name: string): void {
  const { commandsMode, limits, 'permissions.commands': lines } = form.values.peek();
  if (commandsMode === 'limits') {
    const rows = readLimits(limits).filter(({ command }) => command.trim() !== '');
    form.set('limits', JSON.stringify([...rows, { command: name, argument: '', min: '', max: '' }]));
  } else form.set('permissions.commands', [lines.trim(), name].filter(Boolean).join('\n'));
}
