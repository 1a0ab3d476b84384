// What a change of the conflict rules changed, as lines that were removed and added. Pure. Entries are of any shape and
// age: what cannot be compared gives undefined.
import { isObject } from '@weft/contract/is-object';

export interface DiffLine {
  kind: 'removed' | 'added';
  text: string;
}

/** In the order of the rules; of one place first what was there, then what is. Undefined if one side is not in the entry. */
export function rulesDiff({ before, rules }: Record<string, unknown>): DiffLine[] | undefined {
  if (!isObject(before) || !isObject(rules)) return undefined;
  const [old, fresh] = [linesOf(before), linesOf(rules)];
  const places = new Set([...old.keys(), ...fresh.keys()]);
  return [...places].flatMap((place) => {
    const [was, is] = [old.get(place), fresh.get(place)];
    if (was === is) return [];
    return [...toLine('removed', place, was), ...toLine('added', place, is)];
  });
}

function toLine(kind: DiffLine['kind'], place: string, value: string | undefined): DiffLine[] {
  return value === undefined ? [] : [{ kind, text: `${place}: ${value}` }];
}

/** Place -> value, such as `groups.5g_energy.hold_s` -> `30`. Groups are known by their names, and their order is a value. */
function linesOf(rules: Record<string, unknown>): Map<string, string> {
  const lines = new Map<string, string>();
  const { groups, ...rest } = rules;
  if (Array.isArray(groups)) {
    const names = groups.map((group, index) => nameOf(group, index, groups));
    groups.forEach((group, index) => {
      addLines(lines, `groups.${names[index]}`, group);
    });
    lines.set('order of the groups', names.join(', '));
  }
  for (const [key, value] of Object.entries(rest)) addLines(lines, key, value);
  return lines;
}

/** Of several groups with one name the later ones are numbered. */
function nameOf(group: unknown, index: number, groups: readonly unknown[]): string {
  const name = isObject(group) && typeof group.name === 'string' ? group.name : String(index + 1);
  const earlier = groups.slice(0, index).filter((other) => isObject(other) && other.name === name).length;
  return earlier === 0 ? name : `${name} (${earlier + 1})`;
}

function addLines(lines: Map<string, string>, place: string, value: unknown): void {
  if (isObject(value)) for (const [key, part] of Object.entries(value)) addLines(lines, `${place}.${key}`, part);
  else lines.set(place, Array.isArray(value) && value.every(isPlain) ? value.join(', ') : JSON.stringify(value));
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
