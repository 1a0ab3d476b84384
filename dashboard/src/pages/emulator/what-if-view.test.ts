// What is shown of a look ahead.
import { expect, it } from 'vitest';
import { biggestChanges, meanOf, timelineLines } from './what-if-view.ts';

const minute = (n: number, after: number, without: number) => ({
  minute: n,
  served: { with: after, without },
  power_w: { with: after * 10, without: without * 10 },
  delivered_mbps: { with: 1, without: 1 },
});
const timeline = [minute(1, 4, 6), minute(2, 2, 6)];

it('the timeline is two lines from the present of the model on', () => {
  const lines = timelineLines({ timeline, model_time: '1970-01-01T00:10:00Z' }, 'power_w', { with: 'W', without: 'O' });
  expect(lines).toEqual([
    { name: 'with', label: 'W', times: [660, 720], values: [40, 20] },
    { name: 'without', label: 'O', times: [660, 720], values: [60, 60] },
  ]);
  expect(meanOf({ timeline }, 'served')).toEqual({ with: 3, without: 6 });
  expect(meanOf({ timeline: [] }, 'served')).toEqual({ with: 0, without: 0 });
});

it('what changes most of itself comes first, what does not change is left out', () => {
  const agents = [
    {
      agent_id: 'a',
      metrics: { power_w: { with: 50, without: 100 }, same: { with: 1, without: 1 }, half: { with: 3 } },
    },
    { agent_id: 'b', metrics: { served_devices: { with: 9, without: 1 }, tiny: { with: 0.001, without: 0 } } },
  ];
  expect(biggestChanges({ agents }, 3).map(({ metric }) => metric)).toEqual(['served_devices', 'power_w', 'tiny']);
  expect(biggestChanges({ agents }, 1)).toHaveLength(1);
  expect(biggestChanges({ agents }, 9, 1).map(({ agent_id }) => agent_id)).toEqual(['b', 'a']);
});
