// Views of the list that a browser keeps.
import { expect, it } from 'vitest';
import { readViews, viewOf, withView } from './saved-views.tsx';

it('a view is what is listed and how, not where it was left', () => {
  expect(viewOf('?at=40&sort=-power_w&selector=tag%3Alab&view=')).toBe('selector=tag%3Alab&sort=-power_w');
  expect(viewOf('?at=3')).toBe('');
});

it('what cannot be read is none, and a name is there once', () => {
  expect(readViews('nonsense')).toEqual([]);
  expect(readViews('[{"name":1},{"name":"a","search":"x"}]')).toEqual([{ name: 'a', search: 'x' }]);
  expect(withView([{ name: 'a', search: 'x' }], { name: 'a', search: 'y' })).toEqual([{ name: 'a', search: 'y' }]);
});
