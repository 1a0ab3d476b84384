// What a permission means for the access points that there are: how many its patterns match, which commands they declare,
// and which of the named commands none of them knows.
import { useMemo } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { appsText } from '../../text/apps.ts';
import { type Coverage, coverageOf, similarCommand } from './coverage.ts';
import type { PermissionFormState } from './permission-form.ts';
import { namedCommands, patternsOf, readLimits } from './permission-form.ts';

const text = appsText.may;
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
      {isNone ? text.matchesNone : text.matches(formatNumber(coverage.matching))}
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
          <code>{name}</code> {text.knownBy(formatNumber(count), formatNumber(coverage.matching))}
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
        {coverage.undeclared > 0 ? text.unknownButTaken(formatNumber(coverage.undeclared)) : text.unknown}
        {similar !== undefined && ` ${text.similar(similar)}`}
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
      <span class="soft">{text.suggested}</span>
      {others.map(([name, count]) => (
        <button key={name} type="button" class="mono" onClick={() => addCommand(form, name)}>
          <span class="visually-hidden">{text.add}</span>
          {name}
          <span class="visually-hidden">{text.declaredBy}</span>
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
