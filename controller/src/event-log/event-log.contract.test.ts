import { eachDatabase, openTwoNodes } from '../../../test/databases.ts';
import { AuditLog } from '../audit/audit-store.ts';
import { describeEventLog } from './event-log.contract.ts';
import { EventLog } from './event-log.ts';

eachDatabase((kind) => {
  describeEventLog(async (now, onLogged) => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [node, otherNode] = nodes.map((database) => {
      const auditLog = new AuditLog(database);
      return { database, auditLog, log: new EventLog(database, { auditLog, now, onLogged }) };
    });
    return { node: node!, otherNode: otherNode!, remove };
  });
});
