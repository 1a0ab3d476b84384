import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { Keyring } from '../secrets.ts';
import { describeAuditLog } from './audit-store.contract.ts';
import { createAuditLog } from './audit-store.sql.ts';

eachDatabase((kind) => {
  describeAuditLog(async (now) => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [node, otherNode] = nodes.map((database) => ({
      database,
      log: createAuditLog(database, { now, key: new Keyring('a secret of this test, long enough to be one') }),
    }));
    return { node: node!, otherNode: otherNode!, cutOff: () => nodes[0].close(), remove };
  });
});
