// One action on all access points that a selector means: first what it would do to each, then in waves, with progress and a
// stop, and the result for each.
import { useState } from 'preact/hooks';
import {
  type BulkAnswer,
  type BulkRequest,
  type BulkTarget,
  call,
  type Failure,
  toFailure,
} from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Loading, Notice, Progress } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, useForm } from '../../../components/forms/form.tsx';
import { agentName } from '../../../data/agents.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { agentsText } from '../../../text/agents.ts';
import { componentText } from '../../../text/components.ts';
import { listOf } from '../labels-dialog.tsx';

interface BulkValues {
  kind: string;
  command: string;
  site: string;
  add_tags: string;
  remove_tags: string;
}

export function bulkAction({ kind, command, site, add_tags, remove_tags }: BulkValues): BulkRequest['action'] {
  if (kind === 'remove') return { remove: true };
  if (kind === 'command') return { command: command.trim() };
  const [added, removed] = [listOf(add_tags), listOf(remove_tags)];
  return {
    labels: {
      ...(site.trim() !== '' && { site: site.trim() }),
      ...(added.length > 0 && { add_tags: added }),
      ...(removed.length > 0 && { remove_tags: removed }),
    },
  };
}

const text = agentsText.bulk;
const maxListed = 200;

interface BulkDialogProps {
  selector: string;
  /** Whether the user may label and delete anything. */
  isManager: boolean;
  onClose: () => void;
}

export function BulkDialog({ selector, isManager, onClose }: BulkDialogProps) {
  const form = useForm({
    kind: 'command',
    command: '',
    site: '',
    add_tags: '',
    remove_tags: '',
    size: '10',
    pause_seconds: '30',
    typed: '',
  });
  const [preview, setPreview] = useState<{ of: string; answer: BulkAnswer } | undefined>(undefined);
  const [job_number, setJob] = useState<string | undefined>(undefined);
  if (job_number !== undefined) return <BulkRun {...{ job_number, onClose }} />;
  const values = form.values.value;
  const request: BulkRequest = {
    selector,
    action: bulkAction(values),
    wave: { size: Number(values.size) || 1, pause_seconds: Number(values.pause_seconds) || 0 },
  };
  const key = JSON.stringify(request);
  const shown = preview?.of === key ? preview.answer : undefined;
  const willing = (shown?.targets.length ?? 0) - (shown?.refused ?? 0);
  // Who acts on many types their number: a click is too little.
  const isConfirmed = shown !== undefined && (shown.count < 2 || values.typed.trim() === String(shown.count));
  const submit = async () => {
    if (!shown) {
      setPreview({ of: key, answer: await call('start_bulk', { json: { ...request, preview: true } }) });
      return;
    }
    const started = await call('start_bulk', { json: request });
    setJob(started.job_number ?? undefined);
  };
  return (
    <Dialog title={text.title} width="wide" onClose={onClose}>
      <p class="soft">{selector === '' ? text.everywhere : <code>{selector}</code>}</p>
      <Form form={form} label={text.title} onSubmit={submit}>
        <SelectField
          {...form.at('kind')}
          label={text.action}
          options={isManager ? text.kinds : { command: text.kinds.command }}
        />
        {values.kind === 'command' && (
          <TextField {...form.at('command')} label={text.command} hint={text.commandHint} isMono />
        )}
        {values.kind === 'labels' && (
          <>
            <TextField {...form.at('site')} label={agentsText.one.site} hint={text.siteHint} isMono isOptional />
            <TextField {...form.at('add_tags')} label={agentsText.labels.add} isOptional />
            <TextField {...form.at('remove_tags')} label={agentsText.labels.remove} isOptional />
          </>
        )}
        <div class="field-row">
          <TextField {...form.at('size')} label={text.size} inputMode="numeric" />
          <TextField {...form.at('pause_seconds')} label={text.pause} inputMode="numeric" />
        </div>
        {shown && (
          <>
            <h3 aria-live="polite">{text.would(formatNumber(shown.count), formatNumber(shown.waves))}</h3>
            {(shown.refused ?? 0) > 0 && (
              <Notice kind="warning" title={text.accept(formatNumber(willing), formatNumber(shown.targets.length))}>
                {shown.suggestions && shown.suggestions.length > 0 && (
                  <p>
                    {text.suggestions}{' '}
                    {shown.suggestions.map((name) => (
                      <Button key={name} kind="quiet" size="small" onClick={() => form.set('command', name)}>
                        <code>{name}</code>
                      </Button>
                    ))}
                  </p>
                )}
              </Notice>
            )}
            <Targets targets={shown.targets} />
            {shown.count >= 2 && <TextField {...form.at('typed')} label={text.typed(String(shown.count))} />}
          </>
        )}
        <div>
          <Button
            type="submit"
            kind={shown && values.kind === 'remove' ? 'danger' : 'primary'}
            isBusy={form.isBusy.value}
            disabled={shown !== undefined && (willing === 0 || !isConfirmed)}
          >
            {shown ? text.run(formatNumber(shown.count)) : text.preview}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function BulkRun({ job_number, onClose }: { job_number: string; onClose: () => void }) {
  const { data, failure } = useOperation(
    'get_bulk',
    { path: { job_number }, query: { limit: maxListed } },
    { pollMs: ({ is_over }) => (is_over ? 60_000 : 1000) },
  );
  const [problem, setProblem] = useState<Failure | undefined>(undefined);
  const totals = data?.totals;
  const all = totals ? totals.waiting + totals.done + totals.refused + totals.stopped : 0;
  const close = () => {
    for (const changed of ['list_agents', 'metrics_', 'list_commands']) queries.refresh(changed);
    onClose();
  };
  const stop = async () => {
    try {
      await call('cancel_job', { path: { job_number } });
      queries.refresh('get_bulk');
    } catch (error) {
      setProblem(toFailure(error));
    }
  };
  const shownFailure = problem ?? failure;
  return (
    <Dialog
      title={text.title}
      width="wide"
      onClose={close}
      actions={
        data?.is_over ? (
          <Button kind="primary" onClick={close}>
            {text.done}
          </Button>
        ) : (
          <Button kind="danger" onClick={stop}>
            {text.stop}
          </Button>
        )
      }
    >
      <Loading data={data} failure={shownFailure} lines={6} />
      {totals && <Progress label={text.progress} done={all - totals.waiting} total={all} />}
      {data?.is_over && totals && (
        <Notice
          kind={totals.refused + totals.stopped > 0 ? 'warning' : 'good'}
          title={text.over(formatNumber(totals.done), formatNumber(totals.refused), formatNumber(totals.stopped))}
        />
      )}
      {data && <Targets targets={data.items} />}
    </Dialog>
  );
}

function Targets({ targets }: { targets: readonly BulkTarget[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ul class="labels-preview small" tabIndex={0} aria-label={text.targets}>
      {targets.slice(0, maxListed).map(({ ap_id, state, detail }) => (
        <li key={ap_id} class={state === 'refused' ? 'is-warning' : ''}>
          <strong>{agentName(ap_id)}</strong> {text.states[state]}
          {detail && `: ${detail}`}
        </li>
      ))}
      {targets.length > maxListed && <li>{componentText.more(formatNumber(targets.length - maxListed))}</li>}
    </ul>
  );
}
