// What is known of each technology, and how it may be written.
import { expect, it } from 'vitest';
import { readTechnology, technologies, technologyNames } from './technologies.ts';

it.each(technologyNames)('%s is known however it is written', (name) => {
  const { spellings } = technologies[name];
  for (const word of [name, ...spellings, name.toUpperCase(), ` ${name.split('').join('-')} `]) {
    expect(readTechnology(word)).toBe(name);
  }
});

it('no word means two of them', () => {
  const words = technologyNames.flatMap((name) => [name.toLowerCase(), ...technologies[name].spellings]);
  expect(new Set(words).size).toBe(words.length);
});

it.each([undefined, 3, '', '<b>', 'constructor', 'wifi'.repeat(99)])('%j is none', (given) => {
  expect(readTechnology(given)).toBeUndefined();
});
