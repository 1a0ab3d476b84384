import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { createAuditLog } from '../audit/audit-store.sql.ts';
import { describeEventLog } from './event-log.contract.ts';
import { createEventLog } from './event-log.sql.ts';

eachDatabase((kind) => {
  describeEventLog(async (now, onLogged) => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [node, otherNode] = nodes.map((database) => {
      const auditLog = createAuditLog(database);
      return { database, auditLog, log: createEventLog(database, { auditLog, now, onLogged }) };
    });
    return { node: node!, otherNode: otherNode!, remove };
  });
});
