// The form that labels one access point, or many at once, and what it changes of each. Pure.
import type { LabelsUpdate } from '../../api/operations.ts';

export interface Labelled {
  ap_id: string;
  display_name: string | null;
  site: string | null;
  tags: readonly string[];
}

export type LabelValues = Record<'display_name' | 'site' | 'tags' | 'add_tags' | 'remove_tags', string>;

/** What is the same for all of them stands in the form; a field that is left as it was changes nothing. */
export function toLabelValues(agents: readonly Labelled[]): LabelValues {
  const [first, ...others] = agents;
  const isSame = others.every(({ site }) => site === first?.site);
  return {
    display_name: agents.length === 1 ? (first?.display_name ?? '') : '',
    site: isSame ? (first?.site ?? '') : '',
    tags: agents.length === 1 ? (first?.tags.join(', ') ?? '') : '',
    add_tags: '',
    remove_tags: '',
  };
}

export function labelChanges(before: LabelValues, values: LabelValues): LabelsUpdate {
  const isChanged = (name: keyof LabelValues) => values[name].trim() !== before[name].trim();
  return {
    ...(isChanged('display_name') && { display_name: values.display_name.trim() || null }),
    ...(isChanged('site') && { site: values.site.trim() || null }),
    ...(isChanged('tags') && { tags: listOf(values.tags) }),
    ...(isChanged('add_tags') && { add_tags: listOf(values.add_tags) }),
    ...(isChanged('remove_tags') && { remove_tags: listOf(values.remove_tags) }),
  };
}

/** How the labels of one would be; the same order as the server: tags, then those added, then those removed. */
export function labelsAfter(agent: Labelled, changes: LabelsUpdate): Labelled {
  const removed = new Set(changes.remove_tags);
  const tags = [...(changes.tags ?? agent.tags), ...(changes.add_tags ?? [])].filter((tag) => !removed.has(tag));
  return {
    ap_id: agent.ap_id,
    display_name: changes.display_name === undefined ? agent.display_name : changes.display_name,
    site: changes.site === undefined ? agent.site : changes.site,
    tags: [...new Set(tags)].sort(),
  };
}

/** What puts the labels back. */
export function labelsBack({ display_name, site, tags }: Labelled): LabelsUpdate {
  return { display_name, site, tags: [...tags] };
}

export function isSameLabels(a: Labelled, b: Labelled): boolean {
  const key = ({ display_name, site, tags }: Labelled) => JSON.stringify([display_name, site, [...tags].sort()]);
  return key(a) === key(b);
}

export function listOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
    ),
  ];
}
