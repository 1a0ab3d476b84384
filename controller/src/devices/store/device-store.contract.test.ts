import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeDeviceStore } from './device-store.contract.ts';
import { DeviceStore } from './device-store.ts';

eachDatabase((kind) => {
  describeDeviceStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    let nowMs = 0;
    const now = () => nowMs;
    return {
      db: nodes[0],
      store: new DeviceStore(nodes[0], { node: 'one', now }),
      otherNode: new DeviceStore(nodes[1], { node: 'two', now }),
      setNow: (ms) => {
        nowMs = ms;
      },
      remove,
    };
  });
});
