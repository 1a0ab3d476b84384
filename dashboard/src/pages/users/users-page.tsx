// All user accounts. A row opens into what can be done with it, under `?user=`.
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Choice } from '../../components/forms/choice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Page } from '../../components/layout/page.tsx';
import { type Column, Table } from '../../components/tables/table.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { place } from '../../router/location.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { session } from '../../session/session.ts';
import { pageTitles } from '../../text/pages.ts';
import { usersText } from '../../text/users.ts';
import { AddUserDialog } from './add-user-dialog.tsx';
import { refreshUsers } from './guarded-change.ts';
import { toUsers, type User } from './user.ts';
import { UserDialog } from './user-dialog.tsx';
import './users-page.css';
import { WaitingUsers } from './waiting-users.tsx';

const columns: Column<User>[] = [
  {
    name: 'name',
    title: usersText.columns.name,
    sort: ({ username }) => username,
    cell: ({ username }) => (
      <>
        {username}
        {username === session.value?.username && <span class="user-you">{usersText.you}</span>}
      </>
    ),
  },
  {
    name: 'role',
    title: usersText.columns.role,
    width: '112px',
    sort: ({ role }) => usersText.roles[role],
    // Where there is no room for the state beside it, that a user is disabled is said in place of the role.
    cell: (user, isShown) =>
      (user.disabled || user.isWaiting) && !isShown('state') ? <State user={user} /> : usersText.roles[user.role],
  },
  {
    name: 'state',
    title: usersText.columns.state,
    width: '88px',
    isWideOnly: true,
    sort: stateOf,
    cell: (user) => <State user={user} />,
  },
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
  if (isWaiting) return usersText.states.waiting;
  return disabled ? usersText.states.disabled : usersText.states.enabled;
}

export function UsersPage() {
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
      title={pageTitles.users}
      isFilling
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          {usersText.invite}
        </Button>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={refreshUsers} />}
      {waiting && waiting.length > 0 && <WaitingUsers users={waiting} />}
      <p class="soft">{usersText.ends}</p>
      {!rows && !failure && <SkeletonLines count={6} />}
      {rows && (
        <Table
          label={pageTitles.users}
          rows={rows}
          columns={columns}
          keyOf={({ username }) => username}
          hrefOf={hrefOf}
          textOf={textOf}
          initialSort="name"
          tools={
            <Choice
              label={usersText.roleFilter}
              value={role}
              onChange={setRole}
              options={[['', usersText.allRoles], ...Object.entries(usersText.roles)]}
            />
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
