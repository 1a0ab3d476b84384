// Names that nothing reads, in queries and in bodies: each is a problem that tells the nearest known one.
import { didYouMean } from '@weft/contract/closest-name';
import type { Problem } from '../errors.ts';
import { add, type Keywords, type Loc, type Run } from './value-rules.ts';

/** The type of such a problem. */
export const unknownKey = 'extra_forbidden';
const maxTold = 10;

/** `hint`: a sentence in place of the nearest name. */
export function unknownName(loc: Loc, what: string, known: readonly string[], hint = ''): Problem {
  const name = String(loc.at(-1)).slice(0, 64).toWellFormed();
  const others = known.length === 0 ? ' There are none here.' : ` Known here: ${known.join(', ')}.`;
  const msg = `There is no ${what} of this name.${hint || didYouMean(name, known) || others}`;
  return { loc: [...loc.slice(0, -1), name], msg, type: unknownKey };
}

/** Of many the first ones. */
export function refuseUnknown({ properties = {} }: Keywords, input: object, loc: Loc, run: Run): void {
  const isKnown = (name: string) =>
    Object.hasOwn(properties, name) || run.answers!.some((answer) => Object.hasOwn(answer.properties ?? {}, name));
  const unknown = Object.keys(input).filter((name) => !isKnown(name));
  const known = Object.keys(properties);
  for (const name of unknown.slice(0, maxTold)) add(run, unknownName([...loc, name], 'key', known));
}

/** The check of what lies one step further in. */
export function inside(run: Run, keyword: 'items' | 'properties' | 'patternProperties', name?: string): Run {
  if (!run.answers?.length) return run;
  const next = (answer: Keywords): Keywords[] => {
    const step = keyword === 'items' ? answer.items : answer[keyword]?.[name!];
    return step ? branchesOf(step) : [];
  };
  return { ...run, answers: run.answers.flatMap(next) };
}

/** What a value of this schema may be. */
export function branchesOf(schema: Keywords): Keywords[] {
  return schema.anyOf ? schema.anyOf.flatMap(branchesOf) : [schema];
}
