// What a user may do where: a role for the access points that a selector means, as many as needed.

import { useState } from 'preact/hooks';
import { call, type Grant, problemWords } from '../../../api/client.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { FailureNotice, Loading, showToast, useTry } from '../../../components/feedback.tsx';
import { OptionList } from '../../../components/forms/fields.tsx';
import { readSelector, SelectorInput, useMatches } from '../../../components/forms/selector-input.tsx';
import { operationKey, queries, useOperation } from '../../../data/use-operation.ts';

const text = {
  roles: {
    viewer: 'Viewer: reads',
    operator: 'Operator: also sends commands, acknowledges alarms',
    manager: 'Manager: also labels, enrols, removes',
    auditor: 'Auditor: reads everything and the audit log',
    none: 'None: no rights',
  },
  anywhere: { auditor: 'Everywhere; changes nothing.', none: 'Neither reads nor changes anything.' },
};

const roles = ['viewer', 'operator', 'manager', 'auditor', 'none'] as const;
const everywhere: readonly Grant['role'][] = ['auditor', 'none'];

export function GrantsForm({ username }: { username: string }) {
  const { data, failure } = useOperation('get_grants', { path: { username } });
  return (
    <section class="user-grants stack">
      <h3>Rights by access point</h3>
      <Loading data={data} failure={failure} again="get_grants" lines={2} />
      {data && <Editor {...{ username }} grants={data} />}
    </section>
  );
}

function Editor({ username, grants }: { username: string; grants: readonly Grant[] }) {
  // Those of the server until one is changed here; then what was typed stays, whatever comes in.
  const [draft, setRows] = useState<readonly Grant[] | undefined>(undefined);
  const rows = draft ?? grants;
  const { isBusy, failure, run } = useTry();
  const isChanged = JSON.stringify(rows) !== JSON.stringify(grants);
  const isWrong = rows.some(({ selector = '' }) => readSelector(selector).problem !== undefined);
  const save = () =>
    run(async () => {
      const json = rows.map(({ role, selector = '' }) =>
        everywhere.includes(role) || selector.trim() === '' ? { role } : { role, selector: selector.trim() },
      );
      const path = { username };
      queries.set(operationKey('get_grants', { path }), await call('set_grants', { path, json }));
      setRows(undefined);
      showToast({ title: `Rights of ${username} saved` });
    });
  const change = (index: number, next: Grant) => setRows(rows.map((row, place) => (place === index ? next : row)));
  return (
    <>
      <p class="soft small">
        {rows.length === 0
          ? 'Without grants a user has the rights of every user: it reads all access points. With grants it has only those.'
          : 'This user has only these rights. Selectors take site:, tag: and name:, which only administrators and managers can change.'}
      </p>
      {failure && <FailureNotice failure={failure} />}
      {failure?.problems.map((problem) => (
        <p key={problem.msg} class="is-warning" role="alert">
          {problemWords(problem)}
        </p>
      ))}
      {rows.length === 0 && grants.length > 0 && (
        <p class="is-warning" role="alert">
          Saved like this, the user has no grants any more and reads all access points.{' '}
          <Button size="small" onClick={() => setRows([{ role: 'none' }])} words="Take all rights instead" />
        </p>
      )}
      {rows.map((grant, index) => (
        <GrantRow
          key={index}
          grant={grant}
          onChange={(next) => change(index, next)}
          onRemove={() => setRows(rows.filter((_, place) => place !== index))}
        />
      ))}
      <div class="cluster">
        <Button icon="plus" size="small" onClick={() => setRows([...rows, { role: 'viewer', selector: '' }])}>
          Add a grant
        </Button>
        {isChanged && (
          <Button kind="primary" size="small" disabled={isWrong} isBusy={isBusy} onClick={save} words="Save rights" />
        )}
      </div>
    </>
  );
}

interface GrantRowProps {
  grant: Grant;
  onChange: (grant: Grant) => void;
  onRemove: () => void;
}

function GrantRow({ grant: { role, selector = '' }, onChange, onRemove }: GrantRowProps) {
  const matches = useMatches(selector);
  return (
    <div class="grant-row">
      <select
        class="input"
        aria-label="Role"
        value={role}
        onChange={(event) => onChange({ role: event.currentTarget.value as Grant['role'], selector })}
      >
        <OptionList options={roles.map((name) => [name, text.roles[name]])} />
      </select>
      {role === 'auditor' || role === 'none' ? (
        <span class="soft small">{text.anywhere[role]}</span>
      ) : (
        <SelectorInput
          value={selector}
          onInput={(next) => onChange({ role, selector: next })}
          beside={matches}
          attributes={{ 'aria-label': 'For which access points', placeholder: 'site:uk/bristol/**' }}
        />
      )}
      <IconButton icon="close" label="Remove this grant" onClick={onRemove} />
    </div>
  );
}
