// Names of access points, asked for in few questions.
import { parseSelector } from '@weft/contract/selector';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf, selectorOf } from './agent-names.ts';

const ids = fc.array(fc.stringMatching(/^[a-z0-9"\\ ().:-]{1,80}$/), { maxLength: 120 });

it('every name is asked for once, and every question can be parsed', () => {
  fc.assert(
    fc.property(ids, (ap_ids) => {
      const batches = batchesOf(ap_ids);
      expect(batches.flat()).toEqual(ap_ids);
      for (const batch of batches) expect(() => parseSelector(selectorOf(batch))).not.toThrow();
    }),
  );
});
