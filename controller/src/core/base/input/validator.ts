// Checks a value against a schema of the contract and reports problems with the messages of pydantic, which the clients of this
// interface are written against. Every input (body, query, form, path) is checked here.
import { isObject } from '@weft/contract/is-object';
import type { Static, TSchema } from '@weft/contract/schema';
import { type Problem, ValidationError } from '../errors.ts';
import { isStorableText, MAX_PROBLEMS } from './json-scanner.ts';
import { toBoolean } from './lax-scalars.ts';
import { inside, refuseUnknown, unknownKey } from './unknown-keys.ts';
import {
  add,
  checkLiteral,
  checkNumber,
  INEXACT_INTEGER,
  type Keywords,
  type Loc,
  lengthProblem,
  plural,
  type Run,
  report,
  valueError,
} from './value-rules.ts';

export type { Loc } from './value-rules.ts';

/** Gets a value whose type and bounds hold already; answers with the value to use or with what is wrong. */
export type FormatCheck = (value: unknown, loc: Loc) => { value: unknown } | { problems: Problem[] };
export type Formats = Record<string, FormatCheck>;

export class Validator {
  private readonly formats: Formats;
  private readonly patterns = new Map<string, RegExp>();

  constructor(formats: Formats) {
    this.formats = formats;
  }

  /**
   * Adds every problem of `input` to `problems`, in the order of the schema's fields, at most MAX_PROBLEMS in all, and
   * never the input itself. Returns a fresh value with the known fields only and defaults filled in; it means something
   * only when no problem was added.
   */
  check<S extends TSchema>(schema: S, input: unknown, loc: Loc, problems: Problem[]): Static<S> {
    return this.value(schema as Keywords, input, loc, { problems, inexact: [] }) as Static<S>;
  }

  /**
   * The same for a JSON body, where absent (undefined) and `null` are `missing`. `inexact` comes from readJson: such
   * integers are problems inside the free-form objects that are stored.
   */
  checkBody<S extends TSchema>(schema: S, body: unknown, problems: Problem[], more: Partial<Run> = {}): Static<S> {
    const run: Run = { inexact: [], ...more, problems };
    if (body === undefined || body === null) return report(run, ['body'], 'missing', 'Field required') as Static<S>;
    return this.value(schema as Keywords, body, ['body'], run) as Static<S>;
  }

  /** The value, or a ValidationError with every problem: for input that does not come by HTTP. */
  require<S extends TSchema>(schema: S, input: unknown): Static<S> {
    const problems: Problem[] = [];
    const value = this.checkBody(schema, input, problems);
    if (problems.length > 0) throw new ValidationError(problems);
    return value;
  }

  private value(schema: Keywords, input: unknown, loc: Loc, run: Run): unknown {
    if (schema.anyOf) return this.union(schema.anyOf, input, loc, run);
    if (schema.enum || 'const' in schema) return checkLiteral(schema.enum ?? [schema.const], input, loc, run);
    switch (schema.type) {
      case 'string':
        return this.string(schema, input, loc, run);
      case 'integer':
      case 'number':
        return checkNumber(schema, input, loc, run);
      case 'boolean': {
        const result = toBoolean(input);
        return 'value' in result ? result.value : report(run, loc, result.type, result.msg);
      }
      case 'array':
        return this.array(schema, input, loc, run);
      case 'object':
        return schema.properties ? this.model(schema, input, loc, run) : this.record(schema, input, loc, run);
      default:
        return this.format(schema, input, loc, run);
    }
  }

  /** A nullable field reports as if it were not; of several branches the one that fits exactly comes before a lax fit. */
  private union(branches: Keywords[], input: unknown, loc: Loc, run: Run): unknown {
    if (input === null && branches.some(isNull)) return null;
    const others = branches.filter((branch) => !isNull(branch));
    const [only] = others;
    if (only && others.length === 1) return this.value(only, input, loc, run);
    if (others.every((branch) => 'const' in branch)) {
      return checkLiteral(
        others.map((branch) => branch.const),
        input,
        loc,
        run,
      );
    }
    const exact = others.filter((branch) => fitsExactly(branch, input));
    const failed: Problem[][] = [];
    for (const branch of [...exact, ...others.filter((other) => !exact.includes(other))]) {
      const trial: Run = { ...run, problems: [] };
      const value = this.value(branch, input, [...loc, branchName(branch)], trial);
      if (trial.problems.length === 0) return value;
      failed.push(trial.problems);
    }
    // What but for its unknown keys would be this branch was meant to be it.
    const meant = failed.find((problems) => problems.every(({ type }) => type === unknownKey));
    for (const problem of meant ?? failed.flat()) add(run, problem);
    return undefined;
  }

  private string(schema: Keywords, input: unknown, loc: Loc, run: Run): unknown {
    // The one string that may also be a number: a Unix time.
    const text = schema.format === 'date-time' && typeof input === 'number' ? String(input) : input;
    if (typeof text !== 'string') {
      if (schema.format === 'date-time') return report(run, loc, 'datetime_type', 'Input should be a valid datetime');
      if (schema.format === 'uuid') {
        return report(run, loc, 'uuid_type', 'UUID input should be a string, bytes or UUID object');
      }
      return report(run, loc, 'string_type', 'Input should be a valid string');
    }
    if (!isStorableText(text)) {
      const msg = 'Input should be a valid string, unable to parse raw data as a unicode string';
      return report(run, loc, 'string_unicode', msg);
    }
    const problem = lengthProblem(text, schema.minLength, schema.maxLength, loc);
    if (problem) return add(run, problem);
    if (schema.pattern !== undefined && !this.regExp(schema.pattern).test(text)) {
      const msg = `String should match pattern '${schema.pattern}'`;
      return report(run, loc, 'string_pattern_mismatch', msg, { pattern: schema.pattern });
    }
    return this.format(schema, text, loc, run);
  }

  private array(schema: Keywords, input: unknown, loc: Loc, run: Run): unknown {
    if (!Array.isArray(input)) return report(run, loc, 'list_type', 'Input should be a valid list');
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = schema;
    if (input.length > maxItems) {
      const msg = `List should have at most ${plural(maxItems, 'item')} after validation, not ${input.length}`;
      return report(run, loc, 'too_long', msg, {
        field_type: 'List',
        max_length: maxItems,
        actual_length: input.length,
      });
    }
    const before = run.problems.length;
    const isOfAnything = Object.keys(items).length === 0;
    const values: unknown[] = isOfAnything ? input : [];
    for (const [index, item] of isOfAnything ? [] : input.entries()) {
      if (run.problems.length >= MAX_PROBLEMS) break;
      values.push(this.value(items, item, [...loc, index], inside(run, index)));
    }
    if (run.problems.length === before && values.length < minItems) {
      const msg = `List should have at least ${plural(minItems, 'item')} after validation, not ${values.length}`;
      return report(run, loc, 'too_short', msg, {
        field_type: 'List',
        min_length: minItems,
        actual_length: values.length,
      });
    }
    return run.problems.length === before ? this.format(schema, values, loc, run) : values;
  }

  private model(schema: Keywords, input: unknown, loc: Loc, run: Run): unknown {
    if (!isObject(input)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from';
      return report(run, loc, 'model_attributes_type', msg);
    }
    const result: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const given = Object.hasOwn(input, name) ? input[name] : undefined;
      if (given !== undefined) result[name] = this.value(field, given, [...loc, name], inside(run, name));
      else if ('default' in field) result[name] = structuredClone(field.default);
      else if (schema.required?.includes(name)) report(run, [...loc, name], 'missing', 'Field required');
    }
    if (run.answers && schema.additionalProperties !== true) refuseUnknown(schema, input, loc, run);
    return result;
  }

  private record(schema: Keywords, input: unknown, loc: Loc, run: Run): unknown {
    if (!isObject(input)) return report(run, loc, 'dict_type', 'Input should be a valid dictionary');
    // A format marks an object that is stored and handed out again, where a rounded number would be a wrong one.
    if (schema.format !== undefined && reportInexact(loc, run)) return undefined;
    const extra = schema.additionalProperties;
    const valueSchema = Object.values(schema.patternProperties ?? {})[0] ?? (typeof extra === 'object' ? extra : {});
    if (Object.keys(valueSchema).length === 0) return this.format(schema, input, loc, run);
    const before = run.problems.length;
    const entries: [string, unknown][] = [];
    for (const [key, value] of Object.entries(input)) {
      entries.push([key, this.value(valueSchema, value, [...loc, key], inside(run, key))]);
    }
    if (run.problems.length > before) return undefined;
    // fromEntries defines its keys where an assignment would let `__proto__` reach the prototype.
    return this.format(schema, Object.fromEntries(entries), loc, run);
  }

  private format(schema: Keywords, value: unknown, loc: Loc, run: Run): unknown {
    if (schema.format === undefined || !Object.hasOwn(this.formats, schema.format)) return value;
    const result = this.formats[schema.format]?.(value, loc) ?? { value };
    if ('value' in result) return result.value;
    for (const problem of result.problems) add(run, problem);
    return undefined;
  }

  private regExp(pattern: string): RegExp {
    let regExp = this.patterns.get(pattern);
    if (!regExp) {
      regExp = new RegExp(pattern, 'u');
      this.patterns.set(pattern, regExp);
    }
    return regExp;
  }
}

export function reportInexact(loc: Loc, run: Run): boolean {
  const inside = run.inexact.filter((path) => loc.every((step, index) => index === 0 || path[index - 1] === step));
  for (const path of inside) add(run, valueError(['body', ...path], INEXACT_INTEGER));
  return inside.length > 0;
}

function fitsExactly(branch: Keywords, input: unknown): boolean {
  if (branch.type === 'array') return Array.isArray(input);
  if (branch.type === 'object') return isObject(input);
  if (branch.type === 'integer') return Number.isInteger(input);
  return typeof input === branch.type;
}

/** How pydantic calls a branch of a union in `loc`. */
function branchName(branch: Keywords): string {
  const names: Record<string, string> = { integer: 'int', string: 'str', number: 'float', boolean: 'bool' };
  if (branch.type === 'array') return `list[${branchName(branch.items ?? {})}]`;
  if (branch.type === 'object') return branch.title ?? 'dict';
  return names[branch.type ?? ''] ?? 'any';
}

function isNull(schema: Keywords): boolean {
  return schema.type === 'null';
}
