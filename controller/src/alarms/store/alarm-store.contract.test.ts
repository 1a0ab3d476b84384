import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeAlarmStore } from './alarm-store.contract.ts';
import { createAlarmStore } from './alarm-store.sql.ts';
import { createRuleStore, createSilenceStore } from './rule-store.sql.ts';

eachDatabase((kind) => {
  describeAlarmStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [db, otherDb] = nodes;
    return {
      db,
      otherDb,
      alarms: createAlarmStore(db),
      rules: createRuleStore(db),
      silences: createSilenceStore(db),
      remove,
    };
  });
});
