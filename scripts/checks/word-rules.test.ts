import { expect, test } from 'vitest';
import { findDialect } from './word-rules.ts';

test.each([
  '5 unless told',
  'The command line cannot be followed',
  'Weft mends itself',
  'Settings do not mend themselves',
  'Who gets his way',
  'check that nobody has been at the audit log',
  'The page is made anew',
  'run it as it stands',
  'begin an agent of your own',
  'Not heard of',
  '12 in sight',
  'took on board',
  'gave a command to',
  'Everybody’s jobs',
  "everybody's jobs",
  'missed a report',
  'Held for 30 s',
  'a knock at the door',
  'the way in and out',
  'ways to the agents',
  'What happened lately',
  'makes it as it came',
  'How the network gets on',
])('%s is found', (text) => {
  expect(findDialect([{ path: 'docs/a.md', text }])).toEqual(
    expect.arrayContaining([expect.stringMatching(/^docs\/a\.md:1: ".+": write ".+"$/)]),
  );
});

test('a phrase is found across the end of a line, and its line is named', () => {
  const text = '# A page\n\nIt is 5 unless\ntold.\n';
  expect(findDialect([{ path: 'docs/a.md', text }])).toEqual(['docs/a.md:3: "unless told": write "default: ..."']);
});

test('in code strings and comments are searched', () => {
  const text = "// Made anew.\n/**\n * As it\n * stands.\n */\nconst url = 'http://a.test/ made anew'; // lately\n";
  expect(findDialect([{ path: 'cli/src/a.ts', text }]).sort()).toEqual([
    expect.stringMatching(/^cli\/src\/a\.ts:1: "anew"/),
    expect.stringMatching(/:3: "As it stands"/),
    expect.stringMatching(/:6: "anew"/),
    expect.stringMatching(/:6: "lately"/),
  ]);
});

test.each(['translately', 'unless it is told', 'the way into town', 'in-sight-list'])('%s is not found', (text) => {
  expect(findDialect([{ path: 'docs/a.md', text }])).toEqual([]);
});
