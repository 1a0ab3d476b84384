// Labels of one access point or of many: name, site and tags, with a preview of what changes and a way back.
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { type Failure, toFailure } from '../../api/failure.ts';
import type { LabelsUpdate } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { Progress } from '../../components/feedback/progress.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import { Field, TextField } from '../../components/forms/fields.tsx';
import { Form, useForm } from '../../components/forms/form.tsx';
import { useUnsavedDialog } from '../../components/forms/unsaved-form.ts';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { agentName } from '../../data/agent-names.ts';
import { useSites } from '../../data/sites.ts';
import { queries } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { agentsText } from '../../text/agents.ts';
import { componentText } from '../../text/components.ts';
import {
  isSameLabels,
  type Labelled,
  type LabelValues,
  labelChanges,
  labelsAfter,
  labelsBack,
  toLabelValues,
} from './labels-form.ts';

const text = agentsText.labels;
const maxListed = 100;

interface LabelsDialogProps {
  agents: readonly Labelled[];
  onClose: () => void;
}

export function LabelsDialog({ agents: given, onClose }: LabelsDialogProps) {
  // What it begins with: the page asks again and again.
  const [agents] = useState(given);
  const [before] = useState(() => toLabelValues(agents));
  const form = useForm<LabelValues>(before);
  const close = useUnsavedDialog(form, onClose);
  const { sites } = useSites();
  const id = useId();
  const [done, setDone] = useState<number | undefined>(undefined);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const isOne = agents.length === 1;
  const changes = labelChanges(before, form.values.value);
  const touched = agents.filter((agent) => !isSameLabels(agent, labelsAfter(agent, changes)));
  const title = isOne ? text.titleOf(agentName(agents[0]!.ap_id)) : text.title(formatNumber(agents.length));
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
      title: isOne ? agentsText.manage.saved(agentName(agents[0]!.ap_id)) : text.saved(formatNumber(touched.length)),
      action: { label: agentsText.manage.undo, onChoose: () => undo(touched) },
    });
    onClose();
  };
  return (
    <Dialog title={title} onClose={close}>
      <Form form={form} label={title} onSubmit={submit}>
        {failure && <FailureNotice failure={failure} />}
        {isOne && (
          <TextField
            form={form}
            name="display_name"
            label={text.name}
            hint={text.nameHint(agents[0]!.ap_id)}
            isOptional
            hasFocus
          />
        )}
        <Field
          form={form}
          name="site"
          label={agentsText.one.site}
          hint={isOne ? text.siteHint : text.siteKeep}
          isOptional
        >
          {(attributes) => (
            <>
              <input
                class="input mono"
                list={`${id}-sites`}
                spellcheck={false}
                autoComplete="off"
                autoCapitalize="none"
                value={form.values.value.site}
                onInput={(event) => form.set('site', event.currentTarget.value)}
                {...attributes}
              />
              <datalist id={`${id}-sites`}>
                {sites?.map(({ path, name }) => (
                  <option key={path} value={path}>
                    {name}
                  </option>
                ))}
              </datalist>
            </>
          )}
        </Field>
        {isOne ? (
          <TextField
            form={form}
            name="tags"
            label={agentsText.manage.tags}
            hint={agentsText.manage.tagsHint}
            isOptional
          />
        ) : (
          <>
            <TextField form={form} name="add_tags" label={text.add} hint={agentsText.manage.tagsHint} isOptional />
            <TextField form={form} name="remove_tags" label={text.remove} isOptional />
            <Preview {...{ touched, changes }} of={agents.length} />
          </>
        )}
        {done !== undefined && agents.length > 1 && (
          <Progress label={text.progress} done={done} total={touched.length} />
        )}
        <div>
          <Button type="submit" kind="primary" isBusy={form.isBusy.value}>
            {isOne ? agentsText.manage.save : text.apply(formatNumber(touched.length))}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Preview({ touched, changes, of }: { touched: readonly Labelled[]; changes: LabelsUpdate; of: number }) {
  return (
    <section aria-live="polite">
      <p class="soft">{text.preview(formatNumber(touched.length), formatNumber(of))}</p>
      {touched.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul class="labels-preview small" tabIndex={0} aria-label={text.previewLabel}>
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
  return [site ?? text.noSite, tags.length === 0 ? text.noTags : tags.join(', ')].join(' · ');
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
    for (const changed of ['list_agents', 'get_labels', 'list_sites']) queries.refresh(changed);
  }
}

async function undo(agents: readonly Labelled[]): Promise<void> {
  try {
    await apply(
      agents.map((agent) => [agent.ap_id, labelsBack(agent)]),
      () => {},
    );
    showToast({ title: text.undone });
  } catch (error) {
    showFailure(toFailure(error));
  }
}
