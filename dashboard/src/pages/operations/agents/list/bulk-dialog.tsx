// One action on all access points that a selector means: first what it would do to each, then in waves, with progress and a
// stop, and the result for each.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type BulkAnswer, type BulkRequest, call } from '../../../../api/client.ts';
import { Button } from '../../../../components/button.tsx';
import { Dialog } from '../../../../components/dialog.tsx';
import { attempt, Loading, Notice, Progress, showToast } from '../../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../../components/forms/fields.tsx';
import { Form, useForm } from '../../../../components/forms/form.tsx';
import { LookAheadButtons, useLookAheads } from '../../../../components/look-ahead.tsx';
import { batchesOf, selectorOf } from '../../../../data/agents.ts';
import { useAgents } from '../../../../data/lists/list-pages.ts';
import { queries, useOperation } from '../../../../data/use-operation.ts';
import { formatNumber } from '../../../../format.ts';
import { agentsText } from '../../../../text/pages.ts';
import { CommandFields } from '../../commands/command-fields.tsx';
import {
  commonCommands,
  readDeclaredCommands,
  toCommand,
  wayBack,
  writeCommand,
} from '../../commands/declared-commands.ts';
import { meaningOf } from './agent-filter.ts';
import { bulkAction, changeWords, isFelt, overWords, secondsLeft } from './bulk-action.ts';
import { maxListed, Targets } from './bulk-targets.tsx';

const text = {
  title: 'Act on all that match',
  kinds: { command: 'Send a command', labels: 'Change site and tags', remove: 'Delete' },
  would: (count: string, waves: number) =>
    `${count} access point${count === '1' ? '' : 's'}${waves > 1 ? `, in ${waves} waves` : ''}`,
};

/** So long after the last key it is asked what would happen. */
const restMs = 300;
const maxAtOnce = 10_000;

interface BulkDialogProps {
  selector: string;
  /** Of these only those with this text; empty: all. */
  search: string;
  /** Whether the user may label and delete anything. */
  isManager: boolean;
  onClose: () => void;
}

export function BulkDialog({ selector, search, isManager, onClose }: BulkDialogProps) {
  const form = useForm<Record<string, string>>({
    kind: 'command',
    name: '',
    arguments: '',
    site: '',
    add_tags: '',
    remove_tags: '',
    size: '10',
    pause_seconds: '30',
    typed: '',
  });
  const [preview, setPreview] = useState<{ of: string; answer: BulkAnswer } | undefined>(undefined);
  const lookAheads = useLookAheads();
  const [job, setJob] = useState<Omit<BulkRunProps, 'onClose'> | undefined>(undefined);
  const { data: found } = useAgents(
    { selector, ...(search !== '' && { search }), limit: maxListed, fields: ['configuration', 'latest'] },
    { pages: 1, pollMs: () => 60_000 },
  );
  const commands = useMemo(
    () => commonCommands((found?.items ?? []).map(({ configuration = {} }) => readDeclaredCommands(configuration))),
    [found],
  );
  const { typed = '', ...values } = form.values.value;
  const key = JSON.stringify(values);
  const inWaves = { size: Number(values.size) || 1, pause_seconds: Number(values.pause_seconds) || 0 };
  const toRequest = (wave: typeof inWaves): BulkRequest => ({
    selector,
    ...(search !== '' && { search }),
    action: bulkAction(values, commands),
    wave,
  });
  const look = async () => ({
    of: key,
    answer: await call('start_bulk', { json: { ...toRequest(inWaves), preview: true } }),
  });
  // For many it is shown without being asked for: they are confirmed by their number, never by this button that becomes another.
  const isTold = values.kind === 'command' ? values.name !== '' : values.kind === 'remove';
  const isMany = (found?.items.length ?? 0) > 1 && isTold;
  useEffect(() => {
    if (!isMany || preview?.of === key) return;
    let isLate = false;
    // What is wrong is told to whoever asks.
    const timer = setTimeout(
      () =>
        look().then(
          (found) => isLate || setPreview(found),
          () => {},
        ),
      restMs,
    );
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [key, isMany]);
  if (job !== undefined) return <BulkRun {...job} onClose={onClose} />;
  const shown = preview?.of === key ? preview.answer : undefined;
  const willing = (shown?.targets.length ?? 0) - (shown?.refused ?? 0);
  // Who acts on many types their number: a click is too little.
  const isMatter = isFelt(values.kind, shown);
  const mustType = isMatter && (shown?.count ?? 0) >= 2;
  const isConfirmed = shown !== undefined && (!mustType || typed.trim() === String(shown.count));
  const written = shown && values.kind === 'command' ? toCommand(commands, values) : undefined;
  const emulated = (found?.items ?? []).flatMap(({ emulated: is, ap_id }) => (is ? [ap_id] : []));
  const submit = async () => {
    if (!shown) return setPreview(await look());
    // As they are now: afterwards it is unknown what each had before.
    const back = written
      ? wayBack(
          written,
          (found?.items ?? []).map(({ configuration = {}, ...item }) => ({ ...item, configuration })),
        )
      : [];
    const wave = isMatter ? inWaves : { size: maxAtOnce, pause_seconds: 0 };
    const { job_number } = await call('start_bulk', { json: toRequest(wave) });
    if (job_number) setJob({ job_number, kind: values.kind!, back, wave });
  };
  return (
    <Dialog title={text.title} width="wide" onClose={onClose}>
      <p class="soft">{meaningOf(selector, search)}</p>
      <Form form={form} label={text.title} onSubmit={submit}>
        <SelectField
          {...form.at('kind')}
          label="Action"
          options={isManager ? text.kinds : { command: text.kinds.command }}
        />
        {values.kind === 'command' && <CommandFields {...{ form, commands }} />}
        {values.kind === 'labels' && (
          <>
            <TextField
              {...form.at('site')}
              label={agentsText.one.site}
              hint="Empty: each keeps its site."
              isMono
              isOptional
            />
            <TextField {...form.at('add_tags')} label={agentsText.labels.add} isOptional />
            <TextField {...form.at('remove_tags')} label={agentsText.labels.remove} isOptional />
          </>
        )}
        {isMatter && (
          <div class="field-row">
            <TextField {...form.at('size')} label="Access points in one wave" inputMode="numeric" />
            <TextField {...form.at('pause_seconds')} label="Seconds between waves" inputMode="numeric" />
          </div>
        )}
        {shown && (
          <>
            <h3 aria-live="polite">{text.would(formatNumber(shown.count), isMatter ? shown.waves : 1)}</h3>
            {(shown.reconfigured ?? 0) > 0 && (
              <p>{`${formatNumber(shown.reconfigured!)} of them get other settings by it.`}</p>
            )}
            {(shown.refused ?? 0) > 0 && (
              <Notice
                kind="warning"
                title={`${formatNumber(willing)} of ${formatNumber(shown.targets.length)} would accept it`}
              >
                {shown.suggestions && shown.suggestions.length > 0 && (
                  <p>
                    They declare these commands:{' '}
                    {shown.suggestions.map((name) => (
                      <Button key={name} kind="quiet" size="small" onClick={() => form.set('name', name)}>
                        <code>{name}</code>
                      </Button>
                    ))}
                  </p>
                )}
              </Notice>
            )}
            <Targets
              targets={shown.targets}
              wordsOf={(ap_id) => {
                const agent = written && found?.items.find((item) => item.ap_id === ap_id);
                return agent && changeWords(written, agent);
              }}
            />
            {mustType && <TextField {...form.at('typed')} label={`Type ${String(shown.count)} to confirm`} />}
          </>
        )}
        {lookAheads.map(({ brief }) => brief)}
        {written && emulated.length < (shown?.targets.length ?? 0) && (
          <p class="faint small">{`What-if is about the ${formatNumber(emulated.length)} emulated ones: on real ones nothing can be predicted.`}</p>
        )}
        <div class="cluster">
          {written && emulated.length > 0 && (
            <LookAheadButtons
              ways={lookAheads}
              commands={() => emulated.map((agent_id) => ({ agent_id, command: writeCommand(written) }))}
            />
          )}
          <Button
            type="submit"
            kind={shown && values.kind === 'remove' ? 'danger' : 'primary'}
            isBusy={form.isBusy.value}
            disabled={shown !== undefined && (willing === 0 || !isConfirmed)}
          >
            {shown ? `Run on ${formatNumber(shown.count)}` : 'Show what would happen'}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface BulkRunProps {
  job_number: string;
  /** Of the action, as in the form. */
  kind: string;
  /** See wayBack. */
  back: ReturnType<typeof wayBack>;
  wave: { size: number; pause_seconds: number };
  onClose: () => void;
}

function BulkRun({ job_number, kind, back, wave, onClose }: BulkRunProps) {
  const { data, failure } = useOperation(
    'get_bulk',
    { path: { job_number }, query: { limit: maxListed } },
    { pollMs: ({ is_over }) => (is_over ? 60_000 : 1000) },
  );
  const totals = data?.totals;
  const all = totals ? totals.waiting + totals.done + totals.refused + totals.stopped : 0;
  const close = () => {
    queries.refresh('list_agents', 'metrics_', 'list_commands');
    onClose();
  };
  const stop = () =>
    attempt(async () => {
      await call('cancel_job', { path: { job_number } });
      queries.refresh('get_bulk');
    });
  const goBack = () =>
    attempt(async () => {
      for (const { command, ap_ids } of back) {
        for (const batch of batchesOf(ap_ids)) {
          await call('start_bulk', { json: { selector: selectorOf(batch), action: { command } } });
        }
      }
      showToast({ title: 'The values from before are being put back' });
      close();
    });
  return (
    <Dialog
      title={text.title}
      width="wide"
      onClose={close}
      actions={
        data?.is_over ? (
          <>
            <Button kind="primary" onClick={close} words="Close" />
            {back.length > 0 && <Button onClick={goBack}>Put back the values from before</Button>}
          </>
        ) : (
          <Button kind="danger" onClick={stop} words="Stop" />
        )
      }
    >
      <Loading data={data} failure={failure} lines={6} />
      {totals && (
        <Progress
          label="Access points done"
          done={all - totals.waiting}
          total={all}
          leftSeconds={secondsLeft(totals.waiting, wave)}
        />
      )}
      {data?.is_over && totals && (
        <Notice
          kind={totals.refused + totals.stopped > 0 ? 'warning' : 'good'}
          title={overWords(kind, totals)}
          words={kind === 'command' && 'Their results are under Commands.'}
        />
      )}
      {data && <Targets targets={data.items} finished={agentsText.bulk.finished[kind]} />}
    </Dialog>
  );
}
