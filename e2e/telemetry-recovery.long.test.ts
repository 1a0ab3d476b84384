// Power cuts at many moments.
import { describe, expect, test } from 'vitest';
import { canLoop } from '../test/mounts.ts';
import { cutPower } from './power-cut.ts';

const rounds = Array.from({ length: 20 }, (_, round) => round + 1);

describe.skipIf(!canLoop)('after a power cut', () => {
  test.each(rounds)('R13 everything acknowledged before is there, and nothing that was not sent (%i)', async () => {
    const { acknowledged, findings, errors } = await cutPower();
    expect(acknowledged).toBeGreaterThan(1000);
    expect(findings).toMatchObject({ lost: 0, foreign: 0 });
    expect(errors).toEqual([]);
  });
});
