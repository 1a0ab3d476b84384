// The same with a thousand access points, as many networks have.
import { test } from 'vitest';
import { expectAllSettled, expectBadCanaryStops } from '../../../../../test/rollout-checks.ts';
import { RolloutScene, whileItGoesOn } from '../../../../../test/rollout-rounds.ts';

const name = '1,000 access points that lose words, refuse, replace, lose their power or cut themselves off';
test(name, { timeout: Number.POSITIVE_INFINITY }, () =>
  whileItGoesOn(async (further) => {
    const scene = await RolloutScene.start(1000, further);
    try {
      await expectAllSettled(scene);
      await expectBadCanaryStops(scene);
    } finally {
      await scene.weft.stop();
    }
  }),
);
