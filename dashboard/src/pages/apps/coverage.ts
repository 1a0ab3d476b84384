// How many access points a permission is about: those that its patterns match, and the commands that they declare. Pure.
import { closestName } from '@weft/contract/closest-name';
import { readDeclaredCommands } from '@weft/contract/declared-commands';
import { matchesGlob } from '@weft/contract/glob';

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
