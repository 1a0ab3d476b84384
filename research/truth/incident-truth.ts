// How many hidden faults of emulated networks became one incident with the right cause: the rules that come with Weft find alarms
// in what was reported, and the product's own grouping, causes and diagnoses make incidents of them.
import type { IncidentCause } from '@weft/contract/operations';
import { productRules } from '../../controller/src/operations/alarms/rules/product-rules.ts';
import {
  beforeMs,
  contextMetrics,
  contextOf,
  measuredContext,
} from '../../controller/src/operations/incidents/grouping/alarm-context.ts';
import { describeIncident } from '../../controller/src/operations/incidents/grouping/describe-incident.ts';
import { groupAlarms } from '../../controller/src/operations/incidents/grouping/group-alarms.ts';
import {
  type AlarmContext,
  familyOf,
  type GroupedAlarm,
} from '../../controller/src/operations/incidents/grouping/grouped-alarm.ts';
import { columnsOf, diagnosed } from './diagnosis-truth.ts';
import type { PlannedFault } from './fault-plan.ts';
import type { RecordedWorld } from './record-world.ts';
import { type Rung, replayRule } from './replay-rule.ts';

/** A cause that is wrong is worse than none. The last three are of the diagnoses of what was found. */
const columns = [
  ...(['Faults', 'One incident, right cause', 'One, no cause', 'Wrong cause', 'Split', 'Merged', 'Missed'] as const),
  ...(['Diagnosis right', 'No cause found', 'Wrong'] as const),
] as const;
type Column = (typeof columns)[number];

const onCell = /^(nr_|handover)/;
const onWifi = /^wifi_/;
const onOutage = /^(offline|nr_|handover|wifi_unserved|lifi_blockage)/;

/** The right cause, the alarms that a fault can make (others there are of another fault), and what is not wrong although it says less. */
const expected: Record<string, [right: IncidentCause, makes: RegExp, vague?: IncidentCause]> = {
  crash: ['crash', onOutage, 'access_point_away'],
  'backhaul cut': ['backhaul', onOutage, 'access_point_away'],
  jammer: ['jammed_channel', onWifi],
  'clock ahead': ['clock', /^clock/],
  'few blocks': ['overload', onCell],
  'low power': ['power', onCell, 'weak_signal'],
  dimmed: ['power', /^lifi_/],
  crowd: ['overload', onCell],
  'two programs at war': ['conflict', onCell],
  'bad roll-out': ['failed_rollout', onCell],
  'jammer after a good roll-out': ['jammed_channel', onWifi],
  'jammer beside two programs': ['jammed_channel', onWifi],
};

/** Means still have the fault in them for a while after it. */
const afterwardsMs = 120_000;
/** Of rules whose alarms the replay does not have. */
const left = new Set(['late', 'flapping', 'site_away']);

function kindOf({ cause, startS }: PlannedFault): string {
  if (cause !== 'outage') return cause;
  return startS % 2 === 0 ? 'crash' : 'backhaul cut';
}

export function incidentTable(worlds: readonly RecordedWorld[]): string {
  const counts = new Map<string, Column[]>();
  for (const world of worlds) judgeWorld(world, counts);
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const lines = [...counts].map(([kind, found]) =>
    line([kind, ...columns.map((column) => found.filter((each) => each === column).length)]),
  );
  return [line(['Fault', ...columns]), line(['---', ...columns.map(() => '---')]), ...lines].join('\n');
}

function judgeWorld(world: RecordedWorld, counts: Map<string, Column[]>): void {
  const incidents = groupAlarms(alarmsOf(world));
  const faultsOf = incidents.map((group) =>
    world.faults.filter((fault) => group.some((alarm) => isOf(alarm, fault, world))),
  );
  for (const fault of world.faults) {
    const kind = kindOf(fault);
    const [right, , vague] = expected[kind]!;
    const own = incidents.filter((_, n) => faultsOf[n]!.includes(fault));
    const isNot = (cause: IncidentCause) => ![right, vague, 'unknown'].includes(cause);
    const found: Column[] = ['Faults'];
    const [first] = own;
    if (!first) found.push('Missed');
    else {
      const alarms = own.flat().filter((alarm) => isOf(alarm, fault, world));
      const said = diagnosed(alarms, world);
      found.push(said.some(isNot) ? 'Wrong' : said.includes(right) ? 'Diagnosis right' : 'No cause found');
      const { cause } = describeIncident(first, String);
      if (own.length > 1) found.push('Split');
      else if (faultsOf[incidents.indexOf(first)]!.length > 1) found.push('Merged');
      else if (cause === right) found.push('One incident, right cause');
      else found.push(isNot(cause) ? 'Wrong cause' : 'One, no cause');
    }
    counts.set(kind, [...(counts.get(kind) ?? []), ...found]);
  }
}

/** What it can make on its access points while it lasts; of a jammer its noise wherever it is heard is another one's to tell. */
function isOf({ ap_id, product, fired_at }: GroupedAlarm, fault: PlannedFault, { startMs }: RecordedWorld): boolean {
  const fromMs = startMs + fault.startS * 1000;
  const isThere = ap_id === fault.ap_id || (fault.cause === 'bad roll-out' && fault.others.includes(ap_id!));
  if (!isThere || !expected[kindOf(fault)]![1].test(product!)) return false;
  return fired_at >= fromMs && fired_at <= fromMs + fault.seconds * 1000 + afterwardsMs;
}

function alarmsOf(world: RecordedWorld): GroupedAlarm[] {
  const found: GroupedAlarm[] = [];
  for (const [product, rule] of productRules) {
    const { metric, state, weft } = rule.condition;
    if (left.has(product) || (metric === undefined && state === undefined && weft !== 'clock_ahead_seconds')) continue;
    for (const rung of replayRule(rule, world)) {
      const { ap_id, firedMs, clearedMs } = rung;
      const since = firedMs - (rule.for_seconds ?? 0) * 1000;
      const asked = contextMetrics[familyOf({ product, subject_kind: 'agent' })] ?? [];
      const context: AlarmContext = {
        ...contextOf({ ap_id, since, fired_at: firedMs }, world.events, world.treatments),
        ...measuredContext(columnsOf(world.arrivals.get(ap_id)!, asked, since - beforeMs, firedMs)),
        ...(product === 'offline' && { gap: gapOf(rung, world) }),
      };
      found.push({
        id: `${firedMs} ${ap_id} ${product}`,
        product,
        rule_id: product,
        subject_kind: 'agent',
        subject: ap_id,
        ap_id,
        site: 'town',
        since,
        fired_at: firedMs,
        cleared_at: Number.isFinite(clearedMs) ? clearedMs : null,
        context,
      });
    }
  }
  return found;
}

/** As the keeper looks: reports of the first half of the outage, which came later. */
function gapOf({ ap_id, firedMs, clearedMs }: Rung, world: RecordedWorld): AlarmContext['gap'] {
  if (!Number.isFinite(clearedMs)) return undefined;
  const since = firedMs - (productRules.get('offline')!.for_seconds ?? 0) * 1000;
  const half = (since + clearedMs) / 2;
  return world.arrivals.get(ap_id)!.some(({ ts }) => ts >= since && ts <= half) ? 'filled' : 'empty';
}
