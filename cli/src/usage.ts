// The lines of a usage are what a command accepts: the words after each action, and its options.
import { didYouMean } from '@weft/contract/closest-name';
import type { Command, CommandLine } from './command.ts';
import { UsageError } from './surroundings.ts';

interface UsageLine {
  text: string;
  /** Without action and options. */
  bare: string;
  /** What may stand first, with '' if nothing of the kind need be there. None if the line begins with other words. */
  actions: string[];
  least: number;
  most: number;
}

function readUsage(text: string): UsageLine {
  const [name, ...words] = text
    .replaceAll(/ (\[-[^\]]*\](\.\.\.)?|\[(options|settings)\]|--?[a-z]\S*( [A-Z]\S*)?)/g, '')
    .split(' ');
  const action = /^\[?([a-z][a-z|-]*)(\])?$/.exec(words[0] ?? '');
  if (action) words.shift();
  const actions = action ? [...action[1]!.split('|'), ...(action[2] ? [''] : [])] : [];
  const least = words.filter((word) => !word.startsWith('[')).length;
  const bare = [name, ...words].join(' ');
  return { text, bare, actions, least, most: words.at(-1)?.endsWith('...') ? Number.POSITIVE_INFINITY : words.length };
}

/** Throws UsageError unless a line of the usage has these words and options; options that no line names go with all. */
export function checkUsage({ usage, ask, options }: Command, { words, given }: CommandLine): void {
  const lines = usage.map(readUsage);
  const [first = ''] = words;
  const ofAction = lines.filter(({ actions }) => actions.includes(first));
  const asked = ofAction.length > 0 ? ofAction : lines.filter(({ actions }) => actions.length === 0);
  const count = words.length - (ofAction.length > 0 && first !== '' ? 1 : 0);
  const fitting = asked.filter(({ least, most }) => count >= least && count <= most);
  // Such a command says more about its options than fits into a line.
  const isOpen = usage.some((text) => text.includes('[options]'));
  if (fitting.length === 0 && !(isOpen && asked.length === 0 && words.length === 0))
    throw wrongWords(lines, asked, words, ask);
  if (isOpen) return;
  const names = (text: string, option: string) =>
    [`--${option}`, `-${options[option]?.short}`].some((flag) => text.split(/[\s[\]]+/).includes(flag));
  const isForeign = (option: string) =>
    usage.some((text) => names(text, option)) && !fitting.some(({ text }) => names(text, option));
  const foreign = given.find(isForeign);
  const what = first !== '' && ofAction.length > 0 ? `${usage[0]!.split(' ')[0]} ${first}` : fitting[0]!.bare;
  if (foreign !== undefined) throw new UsageError(`weft ${what} takes no --${foreign}.`);
}

function wrongWords(lines: UsageLine[], asked: UsageLine[], words: readonly string[], ask?: string): UsageError {
  const actions = lines.flatMap((line) => line.actions).filter((action) => action !== '');
  const [first] = words;
  const most = Math.max(0, ...asked.map((line) => line.most));
  if (first !== undefined && actions.length > 0 && !actions.includes(first) && most === 0) {
    return new UsageError(`Unknown action ${first}.${didYouMean(first, actions)} Use ${actions.join(', ')}.`);
  }
  if (ask !== undefined) return new UsageError(ask);
  const tooMany = words[most];
  if (actions.length === 0 && tooMany !== undefined) {
    return new UsageError(`weft ${lines[0]!.bare.split(' ')[0]} takes no ${tooMany}.`);
  }
  const shown = asked.length > 0 ? asked : lines;
  return new UsageError(`Usage: weft ${shown.map(({ text }) => text).join('\n       weft ')}`);
}
