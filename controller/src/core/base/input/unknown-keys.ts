// Names that nothing reads, in queries and in bodies: each is a problem that tells the nearest known one.
import { didYouMean } from '@weft/contract/closest-name';
import type { Problem } from '../errors.ts';
import { add, type Keywords, type Loc, type Run } from './value-rules.ts';

/** The type of such a problem. */
export const unknownKey = 'extra_forbidden';

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
  for (const name of unknown.slice(0, 10)) add(run, unknownName([...loc, name], 'key', Object.keys(properties)));
}

/** The check of what lies one step further in: under a name, or at an index. */
export function inside(run: Run, step: string | number): Run {
  const into = ({ items, properties = {}, patternProperties }: Keywords) =>
    typeof step === 'number' ? items : Object.hasOwn(properties, step) ? properties[step] : patternProperties?.['^.*$'];
  return run.answers?.length ? { ...run, answers: run.answers.flatMap((each) => branchesOf(into(each) ?? {})) } : run;
}

/** What a value of this schema may be. */
export function branchesOf(schema: Keywords): Keywords[] {
  return schema.anyOf ? schema.anyOf.flatMap(branchesOf) : [schema];
}
