// How many hidden faults of emulated networks became one incident with the right cause: the rules that come with Weft find alarms
// in what was reported, and the product's own grouping, causes and diagnoses make incidents of them.
import type { IncidentCause } from '@weft/contract';
import { productRules } from '../../controller/src/alarms/rules/product-rules.ts';
import {
  beforeMs,
  contextMetrics,
  contextOf,
  measuredContext,
} from '../../controller/src/incidents/grouping/alarm-context.ts';
import { describeIncident } from '../../controller/src/incidents/grouping/describe-incident.ts';
import { groupAlarms } from '../../controller/src/incidents/grouping/group-alarms.ts';
import {
  type AlarmContext,
  familyOf,
  type GroupedAlarm,
} from '../../controller/src/incidents/grouping/grouped-alarm.ts';
import { columnsOf, diagnosed } from './diagnosis-truth.ts';
import type { PlannedFault } from './fault-plan.ts';
import type { RecordedWorld } from './record-world.ts';
import { type Rung, replayRule } from './replay-rule.ts';

interface Row {
  faults: number;
  /** One incident, with the right cause. */
  right: number;
  /** One incident, and no cause found or claimed. */
  open: number;
  /** A cause that is wrong: worse than none. */
  wrong: number;
  split: number;
  /** With another fault in the same incident. */
  merged: number;
  missed: number;
  /** Of those that were found: what the diagnosis of their alarms says. */
  diagnosis: { right: number; none: number; wrong: number };
}

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
  const rows = new Map<string, Row>();
  for (const world of worlds) judgeWorld(world, rows);
  const head = [
    'Fault',
    'Faults',
    'One incident, right cause',
    'One, no cause',
    'Wrong cause',
    'Split',
    'Merged',
    'Missed',
    'Diagnosis right',
    'No cause found',
    'Wrong',
  ];
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const lines = [...rows].map(([name, { faults, right, open, wrong, split, merged, missed, diagnosis }]) =>
    line([name, faults, right, open, wrong, split, merged, missed, diagnosis.right, diagnosis.none, diagnosis.wrong]),
  );
  return [line(head), line(head.map(() => '---')), ...lines].join('\n');
}

function judgeWorld(world: RecordedWorld, rows: Map<string, Row>): void {
  const incidents = groupAlarms(alarmsOf(world));
  const faultsOf = incidents.map((group) =>
    world.faults.filter((fault) => group.some((alarm) => isOf(alarm, fault, world))),
  );
  for (const fault of world.faults) {
    const kind = kindOf(fault);
    const row = rows.get(kind) ?? newRow();
    rows.set(kind, row);
    row.faults++;
    const [right, , vague] = expected[kind]!;
    const own = incidents.filter((_, n) => faultsOf[n]!.includes(fault));
    const [first] = own;
    const isNot = (cause: IncidentCause) => ![right, vague, 'unknown'].includes(cause);
    const said = diagnosed(
      own.flatMap((group) => group.filter((alarm) => isOf(alarm, fault, world))),
      world,
    );
    if (said.some(isNot)) row.diagnosis.wrong++;
    else if (said.includes(right)) row.diagnosis.right++;
    else if (first) row.diagnosis.none++;
    if (!first) row.missed++;
    else if (own.length > 1) row.split++;
    else if (faultsOf[incidents.indexOf(first)]!.length > 1) row.merged++;
    else {
      const { cause } = describeIncident(first, String);
      if (cause === right) row.right++;
      else if (isNot(cause)) row.wrong++;
      else row.open++;
    }
  }
}

function newRow(): Row {
  const diagnosis = { right: 0, none: 0, wrong: 0 };
  return { faults: 0, right: 0, open: 0, wrong: 0, split: 0, merged: 0, missed: 0, diagnosis };
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
