import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { Keyring } from '../secrets.ts';
import { describeAuditLog } from './audit-store.contract.ts';
import { AuditLog } from './audit-store.ts';

eachDatabase((kind) => {
  describeAuditLog(async (now) => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [node, otherNode] = nodes.map((database) => ({
      database,
      log: new AuditLog(database, { now, key: new Keyring('a secret of this test, long enough to be one') }),
    }));
    return { node: node!, otherNode: otherNode!, cutOff: () => nodes[0].close(), remove };
  });
});
