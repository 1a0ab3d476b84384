// The lines of a usage are what a command accepts.
import { expect, test } from 'vitest';
import { type Command, parseLine } from './command.ts';
import { checkUsage } from './usage.ts';

const sites: Command = {
  summary: 'for these tests',
  usage: [
    'sites [--wide] [--json]',
    'sites add PATH [-n NAME] [--json]',
    'sites move PATH NEWPATH',
    'sites tag PATH TAG...',
    'sites show|hide PATH',
  ],
  options: {
    wide: { about: '' },
    json: { about: '' },
    name: { short: 'n', value: 'NAME', about: '' },
    url: { value: 'URL', about: '' },
  },
  examples: [],
  async run() {},
};

const check = (args: string[], command: Partial<Command> = {}) => {
  const whole = { ...sites, ...command };
  checkUsage(whole, parseLine(args, whole.options));
};

test.each([
  [[]],
  [['--wide']],
  [['add', 'x', '--name', 'y', '--json', '--url', 'z']],
  [['move', 'a', 'b', '--url', 'z']],
  [['tag', 'a', 'b', 'c']],
  [['hide', 'a']],
])('%j is accepted', (args) => expect(() => check(args)).not.toThrow());

test.each([
  [['ad', 'x'], 'Unknown action ad. Did you mean add? Use add, move, tag, show, hide.'],
  [['constructor'], 'Unknown action constructor. Use add,'],
  [['add'], 'Usage: weft sites add PATH [-n NAME] [--json]'],
  [['add', 'x', 'y'], 'Usage: weft sites add PATH'],
  [['tag', 'x'], 'Usage: weft sites tag PATH TAG...'],
  [['--name', 'x'], 'weft sites takes no --name.'],
  [['add', 'x', '--wide'], 'weft sites add takes no --wide.'],
  [['move', 'x', 'y', '-n', 'z'], 'weft sites move takes no --name.'],
  [['show', 'x', '--json'], 'weft sites show takes no --json.'],
])('%j is a usage error', (args, sentence) => {
  expect(() => check(args)).toThrow(sentence);
});

test('an action may be left out where the usage has it in brackets', () => {
  const usage = ['rollout [list] [--json]', 'rollout show ID [--wide]'];
  for (const args of [[], ['--json'], ['list', '--json'], ['show', '3', '--wide']]) check(args, { usage });
  expect(() => check(['--wide'], { usage })).toThrow('weft rollout takes no --wide.');
  expect(() => check(['list', '3'], { usage })).toThrow('Usage: weft rollout [list]');
});

test('a command without actions names the word that is too many', () => {
  const usage = ['login [URL] [--user NAME | --app NAME]'];
  check(['x'], { usage });
  expect(() => check(['x', 'y'], { usage })).toThrow('weft login takes no y.');
});

test('words that are missing are asked for in the words of the command', () => {
  const ask = 'Give one site.';
  expect(() => check(['add'], { ask })).toThrow(ask);
  expect(() => check(['ad'], { ask })).toThrow('Did you mean add?');
});

test('of a command that says more about its options than fits into a line only words are checked', () => {
  const usage = ['agent run --url URL [options]', 'agent line ID [--json]'];
  check(['run', '--json', '--wide'], { usage });
  check(['--wide'], { usage });
  expect(() => check(['run', 'x'], { usage })).toThrow('Usage: weft agent run --url URL [options]');
  expect(() => check(['lnie', 'x'], { usage })).toThrow('Did you mean line?');
});
