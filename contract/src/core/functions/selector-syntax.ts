// The grammar of selectors: text to tree. Terms side by side are AND, `or` and brackets as usual, `-` is not. Every error
// says at which column, and what would be right.
import { didYouMean } from './closest-name.ts';

export const maxSelectorLength = 1000;
export const maxSelectorTerms = 50;
/** Patterns that are tried at every character of a name. */
const maxCostlyTerms = 10;
/** Brackets and signs inside of one another. */
const maxDepth = 20;

export const agentStates = ['online', 'late', 'offline', 'never', 'ended'] as const;
export type AgentState = (typeof agentStates)[number];

export const healthWords = ['good', 'degraded', 'bad', 'unknown'] as const;

/** How an access point stands to what it shall be. */
export const configStates = [
  ...(['in_sync', 'pending', 'sent', 'on_trial', 'confirmed', 'refused', 'substituted', 'reverted'] as const),
  ...(['overridden', 'drifted', 'unreachable'] as const),
] as const;
export type ConfigState = (typeof configStates)[number];

/** The longest first: `<=` is not `<` and something wrong after it. */
const operators = ['<=', '>=', '!=', '<', '>', '='] as const;
export type SelectorOperator = (typeof operators)[number];

/** What stands before a colon. */
const keys = ['site', 'tag', 'name', 'type', 'state', 'health', 'power', 'config', 'emulated'] as const;
export type SelectorKey = (typeof keys)[number];
const otherNames: Record<string, SelectorKey> = { power_state: 'power' };

export type SelectorTerm =
  | { kind: 'label'; key: SelectorKey; value: string; column: number }
  | { kind: 'metric'; metric: string; operator: SelectorOperator; value: number; column: number };

/** `all` is the empty selector; `and` and `or` have two nodes or more. */
export type SelectorNode =
  | { kind: 'all' }
  | SelectorTerm
  | { kind: 'not'; node: SelectorNode }
  | { kind: 'and'; nodes: readonly SelectorNode[] }
  | { kind: 'or'; nodes: readonly SelectorNode[] };

export class SelectorError extends Error {
  /** Counts from 1. */
  readonly column: number;

  constructor(column: number, message: string) {
    super(`${message} (column ${column})`);
    this.name = 'SelectorError';
    this.column = column;
  }
}

/** Throws SelectorError, whatever the text is. */
export function parseSelectorText(text: string): SelectorNode {
  if (text.length > maxSelectorLength) {
    throw new SelectorError(maxSelectorLength + 1, `A selector has at most ${maxSelectorLength} characters`);
  }
  return new SelectorParser(text).parse();
}

const blank = /\s/;
/** What ends a word that is not in quotes. */
const endsValue = /[\s()"]/;
const endsMetric = /[\s()"<>=!:]/;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

class SelectorParser {
  readonly #text: string;
  #at = 0;
  #terms = 0;
  #costly = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): SelectorNode {
    this.#skipBlanks();
    if (this.#isAtEnd) return { kind: 'all' };
    const node = this.#either();
    if (this.#text[this.#at] === ')')
      throw this.#error('This bracket closes nothing: remove it, or open one before it');
    return node;
  }

  get #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #either(): SelectorNode {
    const nodes = [this.#all()];
    while (this.#takeOr()) nodes.push(this.#all());
    return nodes.length === 1 ? nodes[0]! : { kind: 'or', nodes };
  }

  #all(): SelectorNode {
    const nodes = [this.#one()];
    while (!this.#isAtEnd && this.#text[this.#at] !== ')' && !this.#isOr()) nodes.push(this.#one());
    return nodes.length === 1 ? nodes[0]! : { kind: 'and', nodes };
  }

  #one(): SelectorNode {
    const first = this.#text[this.#at];
    if (first === '-') return this.#deeper(() => this.#not());
    if (first === '(') return this.#deeper(() => this.#inBrackets());
    if (first === undefined) throw this.#error('A term is missing here, such as tag:lobby');
    if (first === ')') throw this.#error('A term is missing before this bracket, such as tag:lobby');
    if (this.#isOr()) throw this.#error('A term is missing before "or"; a metric of this name stands in quotes');
    if (++this.#terms > maxSelectorTerms) throw this.#error(`A selector has at most ${maxSelectorTerms} terms`);
    const term = this.#term();
    if (
      term.kind === 'label' &&
      term.value.includes('*') &&
      term.value.includes('?') &&
      ++this.#costly > maxCostlyTerms
    )
      throw this.#error(`A selector has at most ${maxCostlyTerms} terms with both * and ?`);
    this.#skipBlanks();
    return term;
  }

  #not(): SelectorNode {
    this.#at++;
    const next = this.#text[this.#at];
    if (next === undefined || blank.test(next)) {
      throw this.#error('"-" means not and stands directly before a term, such as -tag:lab');
    }
    return { kind: 'not', node: this.#one() };
  }

  #inBrackets(): SelectorNode {
    const open = this.#at++;
    this.#skipBlanks();
    const node = this.#either();
    if (this.#isAtEnd) throw new SelectorError(open + 1, 'This bracket is never closed: add ")"');
    this.#at++;
    this.#skipBlanks();
    return node;
  }

  #deeper<T>(read: () => T): T {
    if (++this.#depth > maxDepth)
      throw this.#error(`At most ${maxDepth} brackets and signs stand inside of one another`);
    const result = read();
    this.#depth--;
    return result;
  }

  #term(): SelectorTerm {
    const column = this.#at + 1;
    const isQuoted = this.#text[this.#at] === '"';
    const word = isQuoted ? this.#quoted() : this.#word(endsMetric);
    if (!isQuoted && this.#text[this.#at] === ':') {
      this.#at++;
      return this.#labelTerm(word, column);
    }
    this.#skipBlanks();
    const operator = operators.find((each) => this.#text.startsWith(each, this.#at));
    if (operator === undefined) throw this.#notATerm(word, column);
    if (word === '') throw new SelectorError(column, `The name of a metric is missing before ${operator}`);
    this.#at += operator.length;
    this.#skipBlanks();
    return { kind: 'metric', metric: word, operator, value: this.#number(operator), column };
  }

  #labelTerm(word: string, column: number): SelectorTerm {
    const lower = word.toLowerCase();
    const key = Object.hasOwn(otherNames, lower) ? otherNames[lower] : keys.find((each) => each === lower);
    if (key === undefined) {
      const hint =
        didYouMean(lower, keys) || ` There are ${keys.join(', ')}; a metric is compared, such as rssi_dbm<-70.`;
      throw new SelectorError(column, `Nothing is selected by ${JSON.stringify(word)}.${hint}`);
    }
    const valueColumn = this.#at + 1;
    const text = (this.#text[this.#at] === '"' ? this.#quoted() : this.#word(endsValue)).normalize('NFC');
    if (text === '') {
      const hint = key === 'site' ? '; without a site: -site:**' : '';
      throw new SelectorError(valueColumn, `A value is missing after ${key}:${hint}`);
    }
    return { kind: 'label', key, value: checkedValue(key, text, valueColumn), column };
  }

  #number(operator: string): number {
    const column = this.#at + 1;
    const word = this.#word(endsValue);
    const value = number.test(word) ? Number(word) : Number.NaN;
    if (!Number.isFinite(value)) {
      throw new SelectorError(column, `A number stands after ${operator}, such as ${operator}-70 or ${operator}1.5`);
    }
    // Two zeros would be one selector with two texts.
    return value === 0 ? 0 : value;
  }

  #word(end: RegExp): string {
    const start = this.#at;
    while (!this.#isAtEnd && !end.test(this.#text[this.#at]!)) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #quoted(): string {
    const open = this.#at++;
    let value = '';
    for (;;) {
      const character = this.#text[this.#at++];
      if (character === undefined) throw new SelectorError(open + 1, 'This quote is never closed: add "');
      if (character === '"') return value;
      value += character === '\\' ? (this.#text[this.#at++] ?? '') : character;
    }
  }

  #isOr(): boolean {
    const next = this.#text.slice(this.#at, this.#at + 3);
    return /^or(?:$|[\s()])/i.test(next);
  }

  #takeOr(): boolean {
    if (!this.#isOr()) return false;
    this.#at += 2;
    this.#skipBlanks();
    return true;
  }

  #skipBlanks(): void {
    while (!this.#isAtEnd && blank.test(this.#text[this.#at]!)) this.#at++;
  }

  #notATerm(word: string, column: number): SelectorError {
    const text = word === '' ? this.#text[this.#at] : word;
    const hint =
      word === ''
        ? ''
        : ` For a name write name:${printWord(word)}; for a metric compare it, such as ${printWord(word)}>0.`;
    return new SelectorError(column, `${JSON.stringify(text)} is not a term.${hint}`);
  }

  #error(message: string): SelectorError {
    return new SelectorError(this.#at + 1, message);
  }
}

/** As it is compared. Throws SelectorError. */
function checkedValue(key: SelectorKey, text: string, column: number): string {
  if (key === 'state') return oneOf(agentStates, text, column);
  if (key === 'health') return oneOf(healthWords, text, column);
  if (key === 'config') return oneOf(configStates, text, column);
  if (key === 'emulated') return oneOf(['true', 'false'], text, column);
  if (key === 'power') return text.toLowerCase().normalize('NFC');
  if (key !== 'site') return text;
  const path = text.replace(/^\/+|\/+$/g, '');
  if (path === '' || path.includes('//')) {
    throw new SelectorError(
      column,
      'A site is a path such as uk/bristol, uk/* (those directly in it) or uk/** (it and all below)',
    );
  }
  return path;
}

function oneOf(words: readonly string[], text: string, column: number): string {
  const found = words.find((word) => word === text.toLowerCase());
  if (found !== undefined) return found;
  throw new SelectorError(column, `${JSON.stringify(text)} is none of ${words.join(', ')}.${didYouMean(text, words)}`);
}

/** In quotes where it needs them. */
export function printWord(word: string): string {
  const isPlain = word !== '' && !/[\s()"<>=!:\\]/.test(word) && !word.startsWith('-') && word.toLowerCase() !== 'or';
  return isPlain ? word : `"${word.replace(/["\\]/g, '\\$&')}"`;
}
