// Whatever happens to access points during a roll-out, each ends confirmed, reverted or refused, and none is forgotten.
import { test } from 'vitest';
import { expectAllSettled, expectBadCanaryStops } from '../../../../../test/rollout-checks.ts';
import { RolloutScene } from '../../../../../test/rollout-rounds.ts';

test('50 access points that lose words, refuse, replace, lose their power or cut themselves off', async () => {
  const scene = await RolloutScene.start(50);
  try {
    await expectAllSettled(scene);
    await expectBadCanaryStops(scene);
  } finally {
    await scene.weft.stop();
  }
});
