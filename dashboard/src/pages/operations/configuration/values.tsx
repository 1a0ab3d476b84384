// Variables and secrets that layers name: variables with their values, secrets by their names alone.
import { parseJson } from '@weft/contract/is-object';
import { useState } from 'preact/hooks';
import { type ConfigVariable, call } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { Loading, showToast } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { PasswordField } from '../../../components/forms/password-field.tsx';
import { agentName, findAgent } from '../../../data/agents.ts';
import { useAgents } from '../../../data/lists/list-pages.ts';
import { useSites } from '../../../data/sites.ts';
import { configRights, queries, useOperation } from '../../../data/use-operation.ts';
import { configurationText } from '../../../text/pages.ts';
import { valueWords } from './config-words.tsx';

const text = {
  variables: {
    title: 'Variables',
    words:
      'Layers name them as ${name}. That of the access point counts, else that of its site, else of the sites above.',
    add: 'Set a variable',
  },
  secrets: {
    title: 'Secrets',
    words:
      'Layers name them as {"secret": "name"}. The nearest one counts, as with variables; who manages all of a site sets its secrets and names them. A value is stored encrypted and never shown again.',
    add: 'Set a secret',
  },
  sharings: { false: 'Who manages all that it belongs to', true: 'Everybody who writes layers (shared)' },
  value: 'Value',
};

/** A variable or a secret; without a name: a new one. */
type Value = Partial<ConfigVariable> & { version?: number; shared?: boolean };

export function Values() {
  const { drafts } = configRights();
  return (
    <div class="config-values">
      <ValueTable isSecret={false} mayChange={drafts} />
      <ValueTable isSecret mayChange={drafts} />
    </div>
  );
}

function ValueTable({ isSecret, mayChange }: { isSecret: boolean; mayChange: boolean }) {
  const operation = isSecret ? 'list_config_secrets' : 'list_config_variables';
  const { data, failure } = useOperation(operation, { query: { limit: 1000 } }, { pollMs: 10_000 });
  const [asked, setAsked] = useState<Value | undefined>(undefined);
  const [removed, setRemoved] = useState<Value | undefined>(undefined);
  const { title, words, add } = isSecret ? text.secrets : text.variables;
  const { setsSecrets, shares } = configRights();
  /** Who sees one that is shared may not have made it. */
  const maySet = ({ ap_id, site, shared }: Value) =>
    mayChange && (setsSecrets || !shared || ap_id != null || site != null);
  return (
    <section class="card stack">
      <div class="spread">
        <h2>{title}</h2>
        {mayChange && <Button icon="plus" size="small" onClick={() => setAsked({})} words={add} />}
      </div>
      <p class="soft">{words}</p>
      <Loading {...{ data, failure }} again={operation} />
      <table class="config-table config-rows" aria-label={title}>
        <tbody>
          {(data?.items as Value[] | undefined)?.map((each) => {
            const { name = '', ap_id, site, value, version = 0, shared = false } = each;
            const told = isSecret ? `version ${version}${shared ? ' · shared' : ''}` : valueWords('', value);
            return (
              <tr key={`${ap_id} ${site} ${name}`}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{told}</td>
                <td>{ap_id ? <AgentLink ap_id={ap_id} /> : (site ?? 'every access point')}</td>
                <td class="config-acts">
                  {(isSecret ? maySet(each) : mayChange) && (
                    <Button size="small" onClick={() => setAsked(each)} words={configurationText.layers.change} />
                  )}
                  {isSecret && maySet(each) && (
                    <Button
                      size="small"
                      kind="quiet"
                      onClick={() => setRemoved(each)}
                      words={configurationText.layers.remove}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {asked && <ValueDialog value={asked} {...{ isSecret, shares }} onClose={() => setAsked(undefined)} />}
      {removed && (
        <ConfirmDialog
          title={`Remove the secret ${removed.name ?? ''}`}
          words="Its value is gone. One that a layer uses cannot be removed."
          action={configurationText.layers.remove}
          onConfirm={() => {
            const query = { ap_id: removed.ap_id ?? undefined, site: removed.site ?? undefined };
            return call('remove_config_secret', { path: { name: removed.name ?? '' }, query });
          }}
          changes={[operation]}
          done="Secret removed"
          onClose={() => setRemoved(undefined)}
        />
      )}
    </section>
  );
}

/** A number or yes and no where it reads as one; else text, which may stand in quotes. Nothing: it is removed. */
export function toVariableValue(typed: string): string | number | boolean | null {
  const read = parseJson(typed);
  if (typeof read === 'string' || typeof read === 'number' || typeof read === 'boolean') return read;
  return typed === '' ? null : typed;
}

interface ValueDialogProps {
  value: Value;
  isSecret: boolean;
  shares: boolean;
  onClose: () => void;
}

function ValueDialog({ value: given, isSecret, shares, onClose }: ValueDialogProps) {
  const { ap_id, site, name: known = '', value: old = '', shared = false } = given;
  const place = ap_id ? agentName(ap_id) : (site ?? '');
  // Text that reads as something else stands in quotes.
  const typed = toVariableValue(String(old)) === old ? String(old) : JSON.stringify(old);
  const form = useForm({ site: place, name: known, value: old === '' ? '' : typed, shared: String(shared) });
  const { sites = [] } = useSites();
  const agents = useAgents({ limit: 500 }, { pages: 1, pollMs: () => 120_000 }).data?.items ?? [];
  const save = async (values: Record<'site' | 'name' | 'value' | 'shared', string>) => {
    const [name, path, value] = [values.name.trim(), values.site.trim(), values.value];
    const agent = sites.some((each) => each.path === path) ? undefined : findAgent(agents, path);
    const typedPlace = agent ? { ap_id: agent.ap_id } : path === '' && isSecret ? {} : { site: path };
    if (!isSecret) await call('set_config_variable', { json: { ...typedPlace, name, value: toVariableValue(value) } });
    else {
      const isMoved = known !== '' && path !== place;
      const from = known === '' ? typedPlace : { ...(ap_id && { ap_id }), ...(site && { site }) };
      const isShared = values.shared === 'true';
      const change = {
        ...(value !== '' && { value }),
        ...(isShared !== shared && { shared: isShared }),
        ...(isMoved && { to_site: path }),
      };
      await call('set_config_secret', { json: { ...from, name, ...change } });
    }
    queries.refresh('list_config_');
    showToast({ title: `${name} saved` });
    onClose();
  };
  const title = isSecret ? text.secrets.add : text.variables.add;
  const offered = [...sites.map(({ path }) => path), ...agents.map((each) => agentName(each.ap_id))];
  return (
    <FormDialog {...{ form, onClose }} title={title} onSubmit={save}>
      <p class="soft">
        {isSecret
          ? known === ''
            ? 'Access points that use it are reconfigured at once.'
            : 'Access points that use it are reconfigured at once. Without a value it stays as it is.'
          : 'Access points that use it are reconfigured at once. Without a value it is removed.'}
      </p>
      {(!isSecret || known === '' || shares) && (
        <TextField
          {...form.at('site')}
          label="Site or access point"
          suggestions={offered}
          {...(isSecret && { hint: 'Empty: every access point of the installation.' })}
        />
      )}
      <TextField {...form.at('name')} label="Name" hint="Letters, digits, _ . and -." isMono />
      {isSecret ? (
        <PasswordField {...form.at('value')} label={text.value} isNew />
      ) : (
        <TextField
          {...form.at('value')}
          label={text.value}
          hint={'36 is a number and true a yes; "36" in quotes is text.'}
        />
      )}
      {isSecret && (shares || form.values.value.site !== '') && (
        <SelectField {...form.at('shared')} label="Who may name it in a layer" options={text.sharings} />
      )}
      <SubmitRow form={form} words="Save" />
    </FormDialog>
  );
}
