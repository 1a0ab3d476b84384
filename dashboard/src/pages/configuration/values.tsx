// Variables and secrets that layers name: variables with their values, secrets by their names alone.
import { parseJson } from '@weft/contract/is-object';
import { useState } from 'preact/hooks';
import { type ConfigVariable, call } from '../../api/client.ts';
import { AgentLink } from '../../components/agent-name.tsx';
import { Button } from '../../components/button.tsx';
import { Loading, showToast } from '../../components/feedback.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../components/forms/form.tsx';
import { PasswordField } from '../../components/forms/password-field.tsx';
import { agentName, findAgent } from '../../data/agents.ts';
import { useAgents } from '../../data/lists/list-pages.ts';
import { useSites } from '../../data/sites.ts';
import { configRights, queries, useOperation } from '../../data/use-operation.ts';
import { configurationText } from '../../text/configuration.ts';
import { valueWords } from './config-words.tsx';

const text = configurationText.values;

/** A variable or a secret; without a name: a new one. */
type Value = Partial<ConfigVariable> & { version?: number };

export function Values() {
  const { drafts, setsSecrets } = configRights();
  return (
    <div class="config-values">
      <ValueTable isSecret={false} mayChange={drafts} />
      <ValueTable isSecret mayChange={setsSecrets} />
    </div>
  );
}

function ValueTable({ isSecret, mayChange }: { isSecret: boolean; mayChange: boolean }) {
  const operation = isSecret ? 'list_config_secrets' : 'list_config_variables';
  const { data, failure } = useOperation(operation, { query: { limit: 1000 } }, { pollMs: 10_000 });
  const [asked, setAsked] = useState<Value | undefined>(undefined);
  const { title, words, add } = isSecret ? text.secrets : text.variables;
  return (
    <section class="card stack">
      <div class="spread">
        <h2>{title}</h2>
        {mayChange && <Button icon="plus" size="small" onClick={() => setAsked({})} words={add} />}
      </div>
      <p class="soft">{words}</p>
      <Loading {...{ data, failure }} again={operation} />
      <table class="config-table" aria-label={title}>
        <tbody>
          {(data?.items as Value[] | undefined)?.map((each) => {
            const { name = '', ap_id, site, value, version = 0 } = each;
            const told = isSecret ? configurationText.layers.version(version, false) : valueWords('', value);
            return (
              <tr key={`${ap_id} ${site} ${name}`}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{told}</td>
                <td>{ap_id ? <AgentLink ap_id={ap_id} /> : site}</td>
                <td class="config-acts">
                  {mayChange && (
                    <Button size="small" onClick={() => setAsked(each)} words={configurationText.layers.change} />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {asked && <ValueDialog value={asked} {...{ isSecret }} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

/** A number or yes and no where it reads as one; else text, which may stand in quotes. Nothing: it is removed. */
export function toVariableValue(typed: string): string | number | boolean | null {
  const read = parseJson(typed);
  if (typeof read === 'string' || typeof read === 'number' || typeof read === 'boolean') return read;
  return typed === '' ? null : typed;
}

function ValueDialog({ value: given, isSecret, onClose }: { value: Value; isSecret: boolean; onClose: () => void }) {
  const { ap_id, site, name: known = '', value: old = '' } = given;
  // Text that reads as something else stands in quotes.
  const typed = toVariableValue(String(old)) === old ? String(old) : JSON.stringify(old);
  const form = useForm({ site: ap_id ? agentName(ap_id) : (site ?? ''), name: known, value: old === '' ? '' : typed });
  const { sites = [] } = useSites();
  const agents = useAgents({ limit: 500 }, { pages: 1, pollMs: () => 120_000 }).data?.items ?? [];
  const save = async (values: Record<'site' | 'name' | 'value', string>) => {
    const [name, path, value] = [values.name.trim(), values.site.trim(), values.value];
    const agent = sites.some((each) => each.path === path) ? undefined : findAgent(agents, path);
    const json = { ...(agent ? { ap_id: agent.ap_id } : { site: path }), name, value: toVariableValue(value) };
    if (!isSecret) await call('set_config_variable', { json });
    else if (value === '') await call('remove_config_secret', { path: { name } });
    else await call('set_config_secret', { json: { name, value } });
    queries.refresh('list_config_');
    showToast({ title: text.saved(name) });
    onClose();
  };
  const title = isSecret ? text.secrets.add : text.variables.add;
  const offered = [...sites.map(({ path }) => path), ...agents.map((each) => agentName(each.ap_id))];
  return (
    <FormDialog {...{ form, onClose }} title={title} onSubmit={save}>
      <p class="soft">{text.atOnce}</p>
      {!isSecret && <TextField {...form.at('site')} label={text.of} suggestions={offered} />}
      <TextField {...form.at('name')} label={text.name} hint={text.nameHint} isMono />
      {isSecret ? (
        <PasswordField {...form.at('value')} label={text.value} isNew />
      ) : (
        <TextField {...form.at('value')} label={text.value} hint={text.valueHint} />
      )}
      <SubmitRow form={form} words={text.save} />
    </FormDialog>
  );
}
