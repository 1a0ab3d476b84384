import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changesOf, reverseOf, toEditValues, withChanges } from './edit-agent-dialog.tsx';

const configuration = fc.dictionary(
  fc.oneof(
    fc.constantFrom('label', 'site', 'tags', 'geolocation', 'report_interval_seconds', 'commands'),
    fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
  ),
  fc.jsonValue(),
  { noNullPrototype: true },
);
const formKeys = ['geolocation', 'report_interval_seconds'];

it('a form that nobody has touched changes nothing, whatever is in the configuration', () => {
  fc.assert(
    fc.property(configuration, (given) => {
      expect(changesOf(given, toEditValues(given))).toEqual({ changes: {}, problems: {} });
    }),
  );
});

it('keys that the form does not show are kept, and undoing restores every other', () => {
  const values = fc.record({
    place: fc.constantFrom('', '51.4, -2.6', 'nowhere'),
    interval: fc.constantFrom('', '5', '0.5', '-1', 'x'),
  });
  fc.assert(
    fc.property(configuration, values, (given, typed) => {
      const { changes } = changesOf(given, typed);
      const edited = withChanges(given, changes);
      for (const key of Object.keys(given).filter((name) => !formKeys.includes(name))) {
        expect(edited[key]).toEqual(given[key]);
      }
      expect(Object.keys(changes).filter((key) => !formKeys.includes(key))).toEqual([]);
      expect(withChanges(edited, reverseOf(given, changes))).toEqual(given);
    }),
  );
});

it('fields become what the configuration calls them; an empty one removes its key', () => {
  const before = {
    label: 'Hall',
    geolocation: { lat: 1, lon: 2, altitude: 30 },
    report_interval_seconds: 5,
    commands: ['sleep'],
  };
  const { changes, problems } = changesOf(before, {
    place: '51.5, -2.6',
    interval: '',
  });
  expect(problems).toEqual({});
  expect(withChanges(before, changes)).toEqual({
    label: 'Hall',
    geolocation: { latitude: 51.5, longitude: -2.6, altitude: 30 },
    commands: ['sleep'],
  });
});

it('says which field is wrong', () => {
  const { problems } = changesOf({}, { ...toEditValues({}), place: 'here', interval: '0' });
  expect(Object.keys(problems)).toEqual(['place', 'interval']);
});
