import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { describeAlarmStore } from './alarm-store.contract.ts';
import { AlarmStore } from './alarm-store.ts';
import { RuleStore, SilenceStore } from './rule-store.ts';

eachDatabase((kind) => {
  describeAlarmStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [db, otherDb] = nodes;
    return {
      db,
      otherDb,
      alarms: new AlarmStore(db),
      rules: new RuleStore(db),
      silences: new SilenceStore(db),
      remove,
    };
  });
});
