import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { describeEmulatorRequestStore } from './emulator-request-store.contract.ts';
import { createEmulatorRequestStore } from './emulator-request-store.sql.ts';

eachDatabase((kind) => {
  describeEmulatorRequestStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: createEmulatorRequestStore(nodes[0]), otherNode: createEmulatorRequestStore(nodes[1]), remove };
  });
});
