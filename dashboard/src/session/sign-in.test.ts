// W4: nobody is sent elsewhere after signing in.
import { expect, it } from 'vitest';
import { safeNextPath } from './sign-in.ts';

const isOurs = (path: string) => path === '/' || path.startsWith('/agents');

it('goes on to a page of the dashboard, with its filter', () => {
  expect(safeNextPath('/agents?state=late#x', isOurs)).toBe('/agents?state=late#x');
});

it.each([
  'https://evil.test/agents',
  '//evil.test/agents',
  '/\\evil.test/agents',
  '\\\\evil.test',
  'javascript:alert(1)',
  '/\t/evil.test',
  '/elsewhere',
  'agents',
  '',
  null,
  undefined,
])('goes home instead of to %j', (wish) => {
  expect(safeNextPath(wish, isOurs)).toBe('/');
});
