// Labels of one access point or of many: name, site and tags, with a preview of what changes and a way back.
import { useState } from 'preact/hooks';
import { type AgentListItem, call, type Failure, type LabelsUpdate, toFailure } from '../../../api/client.ts';
import { attempt, FailureNotice, Progress, showToast } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { agentName } from '../../../data/agents.ts';
import { useSites } from '../../../data/sites.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatCount, formatNumber, partsOf } from '../../../format.ts';
import { componentText } from '../../../text/components.ts';
import { agentsText } from '../../../text/pages.ts';

export type Labelled = Pick<AgentListItem, 'ap_id' | 'display_name' | 'site' | 'tags'>;

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
  return [...new Set(partsOf(text, ','))];
}

const maxListed = 100;

export function LabelsDialog({ agents: given, onClose }: { agents: readonly Labelled[]; onClose: () => void }) {
  // What it begins with: the page asks again and again.
  const [agents] = useState(given);
  const [before] = useState(() => toLabelValues(agents));
  const form = useForm<LabelValues>(before);
  const { sites } = useSites();
  const [done, setDone] = useState<number | undefined>(undefined);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const isOne = agents.length === 1;
  const changes = labelChanges(before, form.values.value);
  const touched = agents.filter((agent) => !isSameLabels(agent, labelsAfter(agent, changes)));
  const title = isOne
    ? `Name, site and tags of ${agentName(agents[0]!.ap_id)}`
    : `Site and tags of ${formatCount(agents.length, 'access point')}`;
  const submit = async () => {
    setFailure(undefined);
    if (touched.length === 0) {
      showToast({ kind: 'note', title: agentsText.manage.unchanged });
      return onClose();
    }
    try {
      await apply(
        touched.map((agent) => [agent.ap_id, changes]),
        setDone,
      );
    } catch (error) {
      if (isOne) throw error;
      return setFailure(toFailure(error));
    } finally {
      setDone(undefined);
    }
    showToast({
      title: isOne
        ? agentsText.manage.saved(agentName(agents[0]!.ap_id))
        : `Labels of ${formatCount(touched.length, 'access point')} changed`,
      action: { label: agentsText.manage.undo, onChoose: () => undo(touched) },
    });
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title={title} onSubmit={submit}>
      {failure && <FailureNotice failure={failure} />}
      {isOne && (
        <TextField
          {...form.at('display_name')}
          label="Display name"
          hint={`What people read instead of ${agents[0]!.ap_id}`}
          isOptional
          hasFocus
        />
      )}
      <TextField
        {...form.at('site')}
        label={agentsText.one.site}
        hint={
          isOne
            ? 'The path of a site, such as uk/bristol/hall'
            : 'Unchanged: each keeps its site. Emptied: none has one.'
        }
        suggestions={sites?.map(({ path, name }) => [path, name] as const) ?? []}
        isMono
        isOptional
      />
      {isOne ? (
        <TextField {...form.at('tags')} label={agentsText.manage.tags} hint={agentsText.manage.tagsHint} isOptional />
      ) : (
        <>
          <TextField
            {...form.at('add_tags')}
            label={agentsText.labels.add}
            hint={agentsText.manage.tagsHint}
            isOptional
          />
          <TextField {...form.at('remove_tags')} label={agentsText.labels.remove} isOptional />
          <Preview {...{ touched, changes }} of={agents.length} />
        </>
      )}
      {done !== undefined && agents.length > 1 && <Progress label="Labelling" done={done} total={touched.length} />}
      <SubmitRow form={form}>{isOne ? agentsText.manage.save : `Change ${formatNumber(touched.length)}`}</SubmitRow>
    </FormDialog>
  );
}

function Preview({ touched, changes, of }: { touched: readonly Labelled[]; changes: LabelsUpdate; of: number }) {
  return (
    <section aria-live="polite">
      <p class="soft">{`${formatNumber(touched.length)} of ${formatNumber(of)} access points change.`}</p>
      {touched.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul class="labels-preview small" tabIndex={0} aria-label="What changes">
          {touched.slice(0, maxListed).map((agent) => {
            const after = labelsAfter(agent, changes);
            return (
              <li key={agent.ap_id}>
                <strong>{agentName(agent.ap_id)}</strong>: {wordsOf(agent)} → {wordsOf(after)}
              </li>
            );
          })}
          {touched.length > maxListed && <li>{componentText.more(formatNumber(touched.length - maxListed))}</li>}
        </ul>
      )}
    </section>
  );
}

function wordsOf({ site, tags }: Labelled): string {
  return [site ?? 'no site', tags.length === 0 ? 'no tags' : tags.join(', ')].join(' · ');
}

/** One after the other: what was done until one is refused stays, and is undone with the rest. */
async function apply(
  updates: readonly (readonly [ap_id: string, changes: LabelsUpdate])[],
  onDone: (done: number) => void,
): Promise<void> {
  try {
    for (const [index, [ap_id, json]] of updates.entries()) {
      onDone(index);
      await call('update_labels', { path: { ap_id }, json });
    }
  } finally {
    queries.refresh('list_agents', 'get_labels', 'list_sites');
  }
}

async function undo(agents: readonly Labelled[]): Promise<void> {
  const updates = agents.map((agent) => [agent.ap_id, labelsBack(agent)] as const);
  if (await attempt(() => apply(updates, () => {}))) showToast({ title: 'Old labels restored' });
}
