// The filters of the list as one selector.
import { parseSelector } from '@weft/contract/selector';
import { expect, it } from 'vitest';
import { meaningOf, selectorWith } from './agent-filter.ts';

it.each([
  ['', { state: '', type: '' }, ''],
  ['tag:a or tag:b', { state: '', type: '' }, 'tag:a or tag:b'],
  ['tag:a or tag:b', { state: 'offline', type: 'WiFi' }, '(tag:a or tag:b) state:offline type:WiFi'],
  ['tag:a', { state: '', health: 'bad', type: '' }, '(tag:a) health:bad'],
  ['', { state: 'asleep', type: '' }, 'power:asleep'],
])('%j with %j is %j', (selector, filter, expected) => {
  const made = selectorWith(selector, filter);
  expect(made).toBe(expected);
  expect(() => parseSelector(made)).not.toThrow();
});

it('says in words what all filters select together', () => {
  expect(meaningOf(selectorWith('tag:a', { state: 'offline', type: '' }), ' hall ')).toBe(
    'access points that are tagged a and are offline, with “hall” in their name, site or tags',
  );
  expect(meaningOf('', '')).toBe('all access points');
});
