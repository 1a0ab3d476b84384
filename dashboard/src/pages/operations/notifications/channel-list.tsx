// What recipients and webhooks have in common as lists: create, test, edit, delete.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Failure } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { EmptyState, Loading, Notice, showToast, useAction } from '../../../components/feedback.tsx';
import { queries } from '../../../data/use-operation.ts';
import { session } from '../../../session/session.ts';
import { notificationsText } from '../../../text/pages.ts';

const text = {
  words: {
    email: 'Who is told of which events by e-mail, at once or collected, and when they want to sleep.',
    webhooks:
      'Programs that are told of events by HTTP. Each event is delivered at least once, in order for each subject.',
  },
  none: { email: 'Nobody is told by e-mail yet', webhooks: 'No webhooks yet' },
  noneWords: {
    email: 'Weft needs a mail server for this: WEFT_SMTP_URL.',
    webhooks: 'Addresses are allowed by WEFT_WEBHOOK_ALLOW; by default none is.',
  },
  remove: 'Delete',
  removeTitle: (name: string) => `Delete ${name}?`,
  states: {
    ok: 'no failures',
    unused: 'nothing sent yet',
    retrying: 'attempts fail',
    failing: 'failing',
    disabled: 'off',
  },
};

interface Channel {
  id: string;
  name: string;
}

interface ChannelListProps<Row extends Channel> {
  kind: 'email' | 'webhooks';
  operation: string;
  rows: readonly Row[] | undefined;
  failure: Failure | undefined;
  stateOf: (row: Row) => 'ok' | 'unused' | 'retrying' | 'failing' | 'disabled';
  wordsOf: (row: Row) => ComponentChildren;
  /** Resolves what went wrong; undefined if it arrived. */
  test: (row: Row) => Promise<string | undefined>;
  remove: (row: Row) => Promise<unknown>;
  /** Undefined: a new one. */
  dialog: (row: Row | undefined, onClose: () => void) => ComponentChildren;
  /** What a setting of the server does not allow; it stands before anybody fills in a form. */
  limits?: { title: string; words: string } | undefined;
  /** Beside the buttons that all have. */
  acts?: (row: Row) => ComponentChildren;
}

export function ChannelList<Row extends Channel>(props: ChannelListProps<Row>) {
  const { kind, operation, rows, failure, dialog, limits } = props;
  const [editing, setEditing] = useState<{ row: Row | undefined } | undefined>(undefined);
  const isAdmin = session.value?.isAdmin === true;
  const create = isAdmin && (
    <Button
      icon="plus"
      kind="primary"
      onClick={() => setEditing({ row: undefined })}
      words={notificationsText.create[kind]}
    />
  );
  return (
    <>
      <div class="spread">
        <p class="soft">{text.words[kind]}</p>
        {rows && rows.length > 0 && create}
      </div>
      {limits && <Notice kind="warning" {...limits} />}
      <Loading data={rows} failure={failure} again={operation} lines={4} />
      {rows?.length === 0 && <EmptyState title={text.none[kind]} actions={create} words={text.noneWords[kind]} />}
      {rows && rows.length > 0 && (
        <ul class="card channel-list">
          {rows.map((row) => (
            <ChannelRow key={row.id} {...props} {...{ row, isAdmin }} onEdit={() => setEditing({ row })} />
          ))}
        </ul>
      )}
      {editing && dialog(editing.row, () => setEditing(undefined))}
    </>
  );
}

type ChannelRowProps<Row extends Channel> = ChannelListProps<Row> & { row: Row; isAdmin: boolean; onEdit: () => void };

function ChannelRow<Row extends Channel>(props: ChannelRowProps<Row>) {
  const { row, isAdmin, onEdit, operation, stateOf, wordsOf, test, remove, acts } = props;
  const { isBusy, act } = useAction();
  const [isRemoving, setRemoving] = useState(false);
  const { name } = row;
  const state = stateOf(row);
  const tryIt = async () => {
    await act(async () => {
      const problem = await test(row);
      if (problem === undefined) return `Test sent to ${name}`;
      showToast({
        kind: 'failure',
        title: `The test to ${name} failed`,
        detail: `${problem}. Check the address and try again.`,
      });
    });
    queries.refresh(operation);
  };
  return (
    <li class="channel-row">
      <span class={`channel-state ${state}`}>{text.states[state]}</span>
      <div class="channel-words">
        <strong>{name}</strong>
        <span class="soft small">{wordsOf(row)}</span>
      </div>
      <div class="cluster">
        {acts?.(row)}
        {isAdmin && (
          <>
            <Button size="small" isBusy={isBusy} aria-label={`Send a test to ${name}`} onClick={tryIt} words="Test" />
            <Button
              size="small"
              kind="quiet"
              aria-label={notificationsText.editOf(name)}
              onClick={onEdit}
              words="Edit"
            />
            <Button size="small" kind="quiet" aria-label={text.removeTitle(name)} onClick={() => setRemoving(true)}>
              {text.remove}
            </Button>
          </>
        )}
      </div>
      {isRemoving && (
        <ConfirmDialog
          title={text.removeTitle(name)}
          action={text.remove}
          onClose={() => setRemoving(false)}
          onConfirm={() => remove(row)}
          changes={[operation]}
          done={`${name} deleted`}
          words="Nothing more is sent there. What waits is dropped."
        />
      )}
    </li>
  );
}
