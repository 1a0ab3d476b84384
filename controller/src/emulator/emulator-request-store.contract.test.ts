import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { describeEmulatorRequestStore } from './emulator-request-store.contract.ts';
import { EmulatorRequestStore } from './emulator-request-store.ts';

eachDatabase((kind) => {
  describeEmulatorRequestStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: new EmulatorRequestStore(nodes[0]), otherNode: new EmulatorRequestStore(nodes[1]), remove };
  });
});
