// A change set and the plan of its roll-out as forms: every field a text, with the names that the interface has for them. Pure.
import { isObject } from '@weft/contract/is-object';
import {
  type ChangeSet,
  type ChangeSetCreate,
  type LayerDraft,
  problemAt,
  type RolloutPlan,
} from '../../../api/client.ts';
import { readSelector } from '../../../components/forms/selector-input.tsx';

const notJson = (line?: string, column?: string) =>
  `This is not valid JSON at ${line ? `line ${line}, column ${column}` : 'its end'}. Check quotes, commas and brackets.`;
const noNumber = 'Enter a number';

/** `title`, `remove` (ids, one a line), and of each layer `layers.0.name` and so on. */
export type DraftValues = Record<string, string>;

const layerFields = ['id', 'name', 'selector', 'weight', 'settings', 'optional'] as const;

export function layerValues(index: number, layer?: LayerDraft): DraftValues {
  const { id = '', name = '', selector = '', weight = 10, settings = {}, optional = false } = layer ?? {};
  const told = [id, name, selector, String(weight), JSON.stringify(settings, null, 2), String(optional)];
  return Object.fromEntries(layerFields.map((field, at) => [`layers.${index}.${field}`, told[at]!]));
}

export function toDraftValues({ title = '', layers = [], remove = [], base = {} }: Partial<ChangeSet>): DraftValues {
  // A new layer has an id once the draft is stored, which is unknown until it is in force.
  const fields = layers.map((layer, index) => layerValues(index, base[layer.id] === 0 ? { ...layer, id: '' } : layer));
  return Object.assign({ title, remove: remove.join('\n') }, ...fields);
}

export function layerCount(values: DraftValues): number {
  return Object.keys(values).filter((name) => /^layers\.\d+\.name$/.test(name)).length;
}

/** Throws Failure 422 at the field that cannot be read. */
export function toDraft(values: DraftValues): ChangeSetCreate {
  const layers = Array.from({ length: layerCount(values) }, (_, index): LayerDraft => {
    const at = (field: (typeof layerFields)[number]) => (values[`layers.${index}.${field}`] ?? '').trim();
    const weight = Number(at('weight').replace('−', '-'));
    if (at('weight') === '' || !Number.isInteger(weight)) throw problemAt(`layers.${index}.weight`, noNumber);
    const settings = readObject(`layers.${index}.settings`, at('settings'));
    const id = at('id') === '' ? {} : { id: at('id') };
    const optional = at('optional') === 'true';
    return { ...id, name: at('name'), selector: at('selector'), weight, settings, optional };
  });
  const remove = (values.remove ?? '').split('\n').filter(Boolean);
  if (layers.length + remove.length === 0) throw problemAt('title', 'Add a layer before you save.');
  return { title: (values.title ?? '').trim(), layers, remove };
}

function readObject(field: string, json: string): Record<string, unknown> {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? [];
    throw problemAt(field, notJson(line, column));
  }
  if (!isObject(read)) throw problemAt(field, 'Write an object, such as {"channel": 36}.');
  return read;
}

export const emptyPlan = {
  waves: '10 %\n100 %',
  metric: '',
  worse_by: '',
  over_seconds: '120',
  failures: '0',
  rest: '{}',
};
export type PlanValues = Record<keyof typeof emptyPlan, string>;

/** Throws Failure 422 at the field that cannot be read. `rest` is what has no field, as the interface takes it. */
export function toPlan(values: PlanValues): RolloutPlan {
  const { gates = [], ...rest } = readObject('rest', values.rest.trim() || '{}') as RolloutPlan;
  const numberOf = (name: keyof PlanValues) => {
    const number = Number(values[name].replace('−', '-'));
    if (values[name].trim() === '' || !Number.isFinite(number)) throw problemAt(name, noNumber);
    return number;
  };
  const metric = values.metric.trim();
  const own = metric && [{ metric, worse_by: numberOf('worse_by'), over_seconds: numberOf('over_seconds') }];
  const failure_limit = { agents: numberOf('failures') };
  return { waves: toWaves(values.waves), gates: [...(own || []), ...gates], failure_limit, ...rest };
}

function toWaves(text: string): NonNullable<RolloutPlan['waves']> {
  const lines = text.split('\n').map((line) => line.trim());
  const waves = lines.filter(Boolean).map((line) => {
    const share = /^(\d+(?:\.\d+)?)\s*%$/.exec(line)?.[1];
    if (share !== undefined) return { percent: Number(share) };
    if (!line.includes(':') || readSelector(line).problem)
      throw problemAt('waves', `Change “${line}” to a share such as 10 %, or to a selector such as tag:canary.`);
    return { select: line };
  });
  if (waves.at(-1)?.percent !== 100)
    throw problemAt('waves', 'The last line should be 100 %, so that nobody is left out.');
  return waves;
}
