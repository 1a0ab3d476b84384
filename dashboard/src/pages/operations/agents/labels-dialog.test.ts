// Labels: what the form changes, and how to undo it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSameLabels, type Labelled, labelChanges, labelsAfter, labelsBack, toLabelValues } from './labels-dialog.tsx';

const tags = fc.uniqueArray(fc.constantFrom('lab', 'lobby', 'roof', 'north'));
const agents = fc.record({
  ap_id: fc.constant('ap'),
  display_name: fc.constantFrom(null, 'Hall'),
  site: fc.constantFrom(null, 'uk/bristol'),
  tags,
}) as fc.Arbitrary<Labelled>;
const changes = fc.record({ add_tags: tags, remove_tags: tags, site: fc.constantFrom(null, 'uk/bath') });

it('an untouched form changes nothing, whoever it is about', () => {
  fc.assert(
    fc.property(fc.array(agents, { minLength: 1, maxLength: 5 }), (chosen) => {
      const values = toLabelValues(chosen);
      expect(labelChanges(values, values)).toEqual({});
    }),
  );
});

it('every change can be undone', () => {
  fc.assert(
    fc.property(agents, changes, (agent, change) => {
      const after = labelsAfter(agent, change);
      expect(isSameLabels(labelsAfter(after, labelsBack(agent)), agent)).toBe(true);
      for (const tag of change.remove_tags) expect(after.tags).not.toContain(tag);
    }),
  );
});

it('an emptied field removes, and tags are each there once', () => {
  const before = toLabelValues([{ ap_id: 'a', display_name: 'Hall', site: 'uk', tags: ['lab'] }]);
  const values = { ...before, display_name: ' ', site: '', tags: 'roof, roof ,' };
  expect(labelChanges(before, values)).toEqual({ display_name: null, site: null, tags: ['roof'] });
});
