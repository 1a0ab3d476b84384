// Conflict rules as an operator edits them: validates them, and reports all problems at once.
import { ConflictRules } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import { type Problem, ValidationError } from '../../base/errors.ts';
import { MAX_PROBLEMS } from '../../base/input/json-scanner.ts';
import { Validator } from '../../base/input/validator.ts';
import { type Loc, valueError } from '../../base/input/value-rules.ts';

const validator = new Validator({});

/**
 * The rules with all defaults filled in. Throws ValidationError with every problem under `loc`; whatever is returned, a
 * decision can be made by it.
 */
export function parseConflictRules(input: unknown, loc: Loc = ['body']): ConflictRules {
  const problems: Problem[] = [];
  const rules = validator.check(ConflictRules, input, loc, problems) as ConflictRules;
  problems.push(...contradictions(input, loc));
  if (problems.length > 0) throw new ValidationError(problems.slice(0, MAX_PROBLEMS));
  return rules;
}

/** Problems across fields. Reads the input itself, so that they are reported together with those of single fields. */
function contradictions(input: unknown, loc: Loc): Problem[] {
  const groups = isObject(input) && Array.isArray(input.groups) ? input.groups.slice(0, 200) : [];
  const problems: Problem[] = [];
  const names = new Set<string>();
  const places = new Map<string, string>();
  for (const [index, group] of groups.entries()) {
    if (!isObject(group)) continue;
    const { name, technology = null, parameters, policy, merge } = group;
    const place = [...loc, 'groups', index];
    if (typeof name === 'string') {
      if (names.has(name)) problems.push(valueError([...place, 'name'], `another group is called ${shown(name)} too`));
      names.add(name);
    }
    if (policy === 'merge' && merge === undefined) {
      problems.push(valueError([...place, 'merge'], 'policy merge needs min, max or mean'));
    } else if (policy !== 'merge' && merge !== undefined) {
      problems.push(valueError([...place, 'merge'], 'only policy merge has it'));
    }
    for (const [at, parameter] of (Array.isArray(parameters) ? parameters.slice(0, 64) : []).entries()) {
      // What only reports decides nothing, so that another group may.
      if (typeof parameter !== 'string' || policy === 'report') continue;
      const key = JSON.stringify([technology, parameter]);
      const other = places.get(key);
      if (other !== undefined) {
        const error = `${shown(parameter)} is in ${other} already, and a parameter is in one group of a technology`;
        problems.push(valueError([...place, 'parameters', at], error));
      } else places.set(key, typeof name === 'string' ? shown(name) : `group ${index}`);
    }
  }
  return problems;
}

function shown(name: string): string {
  return name.slice(0, 64).toWellFormed();
}
