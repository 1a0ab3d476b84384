// Newest values of forty access points as JSON, written a hundred times with other values.
import { LatestJson } from '../../../controller/src/core/telemetry/query/latest-json.ts';
import { youngCollector } from './fresh-heap.ts';

export function measure(): number {
  const ts = Date.UTC(2026, 2, 1);
  const json = new LatestJson();
  const collectYoung = youngCollector();
  const names = Array.from({ length: 10 }, (_, index) => `metric_${index}`);
  const ap_ids = Array.from({ length: 40 }, (_, index) => `ap-${index}`);
  const writeTenTimes = () => {
    for (let value = 0; value < 10; value++) {
      const metrics = () => names.map((name) => ({ name, ts, value }));
      json.write(ap_ids.map((ap_id) => ({ ap_id, presence: 'online', latest: { ap_id, metrics: metrics() } })));
    }
    collectYoung();
  };
  for (let times = 0; times < 5; times++) writeTenTimes();
  const before = process.memoryUsage().arrayBuffers;
  for (let times = 0; times < 10; times++) writeTenTimes();
  return process.memoryUsage().arrayBuffers - before;
}
