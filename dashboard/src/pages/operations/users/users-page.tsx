// All user accounts, and those that an administrator has to approve. A row opens into what can be done with it, under `?user=`.
import './users-page.css';
import { useMemo, useState } from 'preact/hooks';
import { call, type WaitingUser } from '../../../api/client.ts';
import { Button, Icon } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { attempt, FailureNotice, SkeletonLines, showToast } from '../../../components/feedback.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { Page } from '../../../components/page.tsx';
import { type Column, column, Table, wideColumn } from '../../../components/tables/table.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment } from '../../../format.ts';
import { type PageProps, place, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { usersText } from '../../../text/pages.ts';
import { guardedChange, refreshUsers, toUsers, type User } from './user.ts';
import { AddUserDialog, UserDialog } from './user-dialog.tsx';

const refuse = 'Refuse';

export function WaitingUsers({ users }: { users: readonly WaitingUser[] }) {
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const approve = (username: string) =>
    attempt(async () => {
      await guardedChange(call('approve_user', { path: { username } }));
      showToast({ title: `${username} approved` });
    });
  return (
    <section class="card waiting-users" aria-labelledby="waiting-users">
      <h2 id="waiting-users">{`Waiting for approval: ${String(users.length)}`}</h2>
      <p class="soft">
        These people created an account. Approve only those whom you know: a user can see all access points.
      </p>
      <ul>
        {users.map(({ username, waiting_since, looks_like }) => (
          <li key={username}>
            <div>
              {username} <span class="faint small">{`since ${formatMoment(waiting_since)}`}</span>
              {looks_like !== undefined && (
                <span class="is-warning small"> {`Looks like ${looks_like}, and is another account.`}</span>
              )}
            </div>
            <div class="acts">
              <Button size="small" aria-label={`Refuse ${username}`} onClick={() => setRefused(username)}>
                {refuse}
              </Button>
              <Button size="small" kind="primary" aria-label={`Approve ${username}`} onClick={() => approve(username)}>
                Approve
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {refused !== undefined && (
        <ConfirmDialog
          title={`Refuse ${refused}?`}
          action={refuse}
          onClose={() => setRefused(undefined)}
          onConfirm={() => guardedChange(call('refuse_user', { path: { username: refused } }))}
          done={`${refused} refused`}
          words="The account is deleted. The person can create one again."
        />
      )}
    </section>
  );
}

const columns: Column<User>[] = [
  {
    name: 'name',
    title: 'E-mail address',
    sort: ({ username }) => username,
    cell: ({ username }) => (
      <>
        {username}
        {username === session.value?.username && <span class="user-you">you</span>}
      </>
    ),
  },
  column('role', 'Role', '112px', {
    sort: ({ role }) => usersText.roles[role],
    // Where there is no room for the state beside it, that a user is disabled is said in place of the role.
    cell: (user, isShown) =>
      (user.disabled || user.isWaiting) && !isShown('state') ? <State user={user} /> : usersText.roles[user.role],
  }),
  wideColumn('state', 'State', '88px', { sort: stateOf, cell: (user) => <State user={user} /> }),
];

function State({ user }: { user: User }) {
  return (
    <span class={user.disabled ? 'user-disabled' : 'soft'}>
      {user.disabled && <Icon name="pause" size={14} />}
      {stateOf(user)}
    </span>
  );
}

function stateOf({ disabled, isWaiting }: User): string {
  if (isWaiting) return 'Waiting';
  return disabled ? 'Disabled' : 'Enabled';
}

export function UsersPage({ title }: PageProps) {
  const { data, failure: usersFailure } = useOperation('list_users', {}, { pollMs: 15_000 });
  const { data: disabled, failure: disabledFailure } = useOperation('list_disabled_users', {}, { pollMs: 15_000 });
  const { data: waiting, failure: waitingFailure } = useOperation('list_waiting_users', {}, { pollMs: 15_000 });
  const failure = usersFailure ?? disabledFailure ?? waitingFailure;
  const [role, setRole] = useQueryState('role');
  const [chosen, setChosen] = useQueryState('user');
  const [isAdding, setAdding] = useState(false);
  const users = useMemo(
    () => data && disabled && waiting && toUsers(data, disabled, waiting),
    [data, disabled, waiting],
  );
  const rows = useMemo(() => users?.filter((user) => role === '' || user.role === role), [users, role]);
  const textOf = useMemo(() => (user: User) => `${user.username} ${usersText.roles[user.role]} ${stateOf(user)}`, []);
  const { search } = place.value;
  const hrefOf = ({ username }: User) => {
    const query = new URLSearchParams(search);
    query.set('user', username);
    return `/users?${query}`;
  };
  return (
    <Page
      title={title}
      isFilling
      actions={<Button kind="primary" icon="plus" onClick={() => setAdding(true)} words={usersText.invite} />}
    >
      {failure && <FailureNotice failure={failure} onRetry={refreshUsers} />}
      {waiting && waiting.length > 0 && <WaitingUsers users={waiting} />}
      <p class="soft">
        To revoke access, disable the account: all its sessions, jobs and queued commands end, and you can enable it
        again. Deleting an account cannot be undone.
      </p>
      {!rows && !failure && <SkeletonLines count={6} />}
      {rows && (
        <Table
          label={title}
          rows={rows}
          columns={columns}
          keyOf={({ username }) => username}
          hrefOf={hrefOf}
          textOf={textOf}
          initialSort="name"
          tools={
            <Choice label="Role" value={role} onChange={setRole} options={{ '': 'All roles', ...usersText.roles }} />
          }
        />
      )}
      {isAdding && <AddUserDialog onClose={() => setAdding(false)} />}
      {users && chosen !== '' && (
        <UserDialog
          key={chosen}
          username={chosen}
          user={users.find(({ username }) => username === chosen)}
          onClose={() => setChosen('')}
        />
      )}
    </Page>
  );
}
