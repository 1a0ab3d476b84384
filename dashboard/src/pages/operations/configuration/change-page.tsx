// A change set as a pull request: who asks for what, what it does to which access points, who cannot take it; its draft, and the
// way to roll it out.
import { useState } from 'preact/hooks';
import { type ChangePreview, type ChangeSet, call } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { EmptyState, Loading, Notice, showToast, useAction } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, isChanged, keepForm, SubmitRow, useForm, useUnsavedForm } from '../../../components/forms/form.tsx';
import { SelectorField } from '../../../components/forms/selector-input.tsx';
import { Page, PlainTable, UnknownPage } from '../../../components/page.tsx';
import { agentName } from '../../../data/agents.ts';
import { configRights, queries, useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber } from '../../../format.ts';
import { navigate, type PageProps, place } from '../../../router/location.ts';
import { componentText } from '../../../text/components.ts';
import { configurationText } from '../../../text/pages.ts';
import { SettingsList, selectorWords, valueWords } from './config-words.tsx';
import { SetState } from './configuration-page.tsx';
import { type DraftValues, layerCount, layerValues, toDraft, toDraftValues } from './draft-form.ts';
import { RolloutDialog } from './rollout-dialog.tsx';

const text = {
  discard: 'Discard',
  effect: 'What it changes',
  restarts: { radio: 'restarts the radio', device: 'restarts the access point' },
  optionalWords: { false: 'refuse the change', true: 'leave the setting out' },
};

const countOf = (count: number) => formatCount(count, 'access point');
const namesShown = 12;
const back = <a href="/configuration?view=changes">All change sets</a>;

export function ChangePage({ params: { id = '' }, title: kind }: PageProps) {
  const isNew = id === 'new';
  const { data, failure } = useOperation('get_change_set', { path: { id } }, { pollMs: 5000, isWanted: !isNew });
  const layer = (isNew && new URLSearchParams(place.peek().search).get('layer')) || '';
  const first = useOperation('get_config_layer', { path: { id: layer } }, { isWanted: layer !== '' });
  const title = data?.title ?? (isNew ? configurationText.create : kind);
  if (failure?.status === 404) return <UnknownPage {...{ title, back }} unknown="Change set not found" words="" />;
  if (isNew && !configRights().drafts)
    return <UnknownPage {...{ title, back }} unknown="Only managers and administrators draft changes" words="" />;
  const initial = isNew ? (layer === '' || first.data) && { layers: first.data ? [first.data] : [] } : data;
  const lead = data ? `Requested by ${data.created_by}, ${formatMoment(data.updated_at)}` : '\u00a0';
  return (
    <Page
      title={title}
      beside={[data && <SetState key="state" set={data} />, back]}
      lead={<span class="soft">{lead}</span>}
    >
      <Loading data={initial || undefined} failure={failure ?? first.failure} again="get_" lines={8} />
      {initial && <Change key={id} id={id} set={initial} />}
    </Page>
  );
}

function Change({ id, set }: { id: string; set: Partial<ChangeSet> }) {
  const path = { id };
  const [isNew, isDraft] = [id === 'new', set.state !== 'rolled_out'];
  const preview = useOperation('preview_change_set', { path }, { pollMs: 10_000, isWanted: isDraft && !isNew });
  const form = useForm<DraftValues>(toDraftValues(set));
  useUnsavedForm(form);
  const { isBusy, act } = useAction();
  const [asked, setAsked] = useState<'roll out' | 'discard' | undefined>(undefined);
  const { changed = 0, refused = 0, not_yours = false } = preview.data ?? {};
  const isReady = changed > 0 && refused === 0 && !not_yours && !set.is_outdated && !isChanged(form);
  const save = async (values: DraftValues) => {
    const json = toDraft(values);
    const saved = await (isNew ? call('create_change_set', { json }) : call('replace_change_set', { path, json }));
    keepForm(form);
    queries.refresh('list_change_sets', 'get_change_set', 'preview_change_set');
    showToast({ title: 'Draft saved' });
    if (isNew) navigate(`/configuration/changes/${saved.id}`, { isReplacing: true });
  };
  const rebase = (
    <Button
      isBusy={isBusy}
      onClick={() => act(() => save(form.values.peek()).then(() => 'Rebased on the layers in force'))}
      words="Rebase"
    />
  );
  const mayDraft = isDraft && configRights().drafts;
  return (
    <>
      {set.is_outdated && (
        <Notice
          kind="warning"
          title="A layer has changed since this draft was made"
          words="Rebase it on the layers in force, then check what it changes: also what others have set since."
          action={mayDraft && rebase}
        />
      )}
      {not_yours && (
        <Notice
          kind="warning"
          title="It changes access points that you do not manage"
          words="Narrow the selector to your access points, or ask an administrator to roll it out."
        />
      )}
      {!isDraft && (
        <Notice
          title="This change set was rolled out."
          action={<ButtonLink href="/configuration?view=rollouts" words="Show the roll-outs" />}
        />
      )}
      <div class="config-grid">
        {isDraft && !isNew && !set.is_outdated && (
          <section class="stack" aria-label={text.effect} aria-live="polite">
            <h2>{text.effect}</h2>
            <Loading data={preview.data} failure={preview.failure} again="preview_change_set" lines={6} />
            {preview.data && <Effect preview={preview.data} />}
            {mayDraft && (
              <div class="cluster">
                <Button kind="primary" disabled={!isReady} onClick={() => setAsked('roll out')} words="Roll out" />
                <Button onClick={() => setAsked('discard')} words={text.discard} />
              </div>
            )}
          </section>
        )}
        {mayDraft ? (
          <Form form={form} label="Draft" onSubmit={save}>
            <DraftFields form={form} />
            {set.remove && set.remove.length > 0 && <p>{`Removes ${formatCount(set.remove.length, 'layer')}.`}</p>}
            <SubmitRow form={form} words="Save and preview" />
          </Form>
        ) : (
          set.layers?.map(({ id: layer, name, selector, settings }) => (
            <section key={layer} class="card">
              <h2>{name}</h2>
              <p class="soft">{selectorWords(selector)}</p>
              <SettingsList settings={settings} />
            </section>
          ))
        )}
      </div>
      {asked === 'roll out' && (
        <RolloutDialog id={id} title={set.title ?? ''} count={countOf(changed)} onClose={() => setAsked(undefined)} />
      )}
      {asked === 'discard' && (
        <ConfirmDialog
          title={text.discard}
          action={text.discard}
          onClose={() => setAsked(undefined)}
          onConfirm={() => call('remove_change_set', { path })}
          changes={['list_change_sets']}
          done="Draft discarded"
          onDone={() => navigate('/configuration?view=changes', { isReplacing: true })}
          words="The draft is deleted. Nothing that is in force changes."
        />
      )}
    </>
  );
}

function DraftFields({ form }: { form: ReturnType<typeof useForm<DraftValues>> }) {
  const values = form.values.value;
  const count = layerCount(values);
  const add = () => {
    form.values.value = { ...values, ...layerValues(count) };
  };
  return (
    <>
      <TextField
        {...form.at('title')}
        label="Title"
        hint="What and why, for those who read it later: “Bristol to channel 100, radar on 36”."
      />
      {Array.from({ length: count }, (_, index) => {
        const at = (field: string) => form.at(`layers.${index}.${field}`);
        return (
          <fieldset key={index} class="card config-draft">
            <legend>Layer</legend>
            <div class="field-row">
              <TextField {...at('name')} label="Name" />
              <TextField
                {...at('weight')}
                label="Weight"
                hint="From −1000 to 1000. The heavier layer wins."
                inputMode="numeric"
              />
            </div>
            <SelectorField {...at('selector')} label="Access points" />
            <TextField
              {...at('settings')}
              label="Settings"
              hint={
                'JSON. ${name} takes a variable, {"secret": "name"} a secret; null takes away what a lighter layer sets.'
              }
              rows={8}
              isMono
            />
            <SelectField {...at('optional')} label="Where a setting is not supported" options={text.optionalWords} />
          </fieldset>
        );
      })}
      <div>
        <Button icon="plus" onClick={add} words="Add a layer" />
      </div>
    </>
  );
}

function Effect({ preview: { changed, groups, refused, refusals, overridden } }: { preview: ChangePreview }) {
  return (
    <>
      {changed + refused === 0 && (
        <EmptyState
          title="It changes no access point"
          words="No access point matches its layers, or all of them have these settings already."
        />
      )}
      {refused > 0 && (
        <div class="card stack config-rows">
          <Notice
            kind="failure"
            title={`${countOf(refused)} cannot take it`}
            words="Correct the layers named here, or exclude these access points with the selector."
          />
          <PlainTable
            look="config-table"
            titles={['Access point', 'Setting', 'Layer', 'Why']}
            rows={refusals.map(({ ap_id, leaf, layer, detail }) => [
              <AgentLink key="name" ap_id={ap_id} />,
              <code key="leaf">{leaf}</code>,
              layer,
              detail,
            ])}
          />
        </div>
      )}
      {groups.map(({ count, changes, restart, ap_ids }, index) => (
        <article key={index} class="card config-group">
          <h3>
            {countOf(count)} {restart !== 'none' && <span class="config-restart">{text.restarts[restart]}</span>}
          </h3>
          {changes.map(({ leaf, before, after }) => (
            <div key={leaf}>
              <code>{leaf}</code> <del class={before === null ? 'none' : ''}>{valueWords(leaf, before)}</del> →{' '}
              <ins class={after === null ? 'none' : ''}>{valueWords(leaf, after)}</ins>
            </div>
          ))}
          <p class="soft small">
            {ap_ids.slice(0, namesShown).map(agentName).join(', ')}
            {count > namesShown && ` ${componentText.more(formatNumber(count - namesShown))}`}
          </p>
        </article>
      ))}
      {overridden.map(({ ap_id, leaves }) => (
        <Notice
          key={ap_id}
          kind="warning"
          title={<AgentLink ap_id={ap_id} />}
          words={`A command holds ${leaves.join(', ')}: the roll-out leaves that alone until it is applied again.`}
        />
      ))}
    </>
  );
}
