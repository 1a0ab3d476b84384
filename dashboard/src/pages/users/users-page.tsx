// All user accounts. A row opens into what can be done with it, under `?user=`.
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { FailureNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { place } from '../../router/location.ts';
import { useQueryState } from '../../router/use-query-state.ts';
import { session } from '../../session/session.ts';
import { pageTitles } from '../../text/pages.ts';
import { usersText } from '../../text/users.ts';
import { AddUserDialog } from './add-user-dialog.tsx';
import { toUser, type User } from './user.ts';
import { UserDialog } from './user-dialog.tsx';
import './users-page.css';

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
    cell: ({ role }) => usersText.roles[role],
  },
];

export function UsersPage() {
  const { data, failure } = useOperation('list_users', {}, { pollMs: 15_000 });
  const [role, setRole] = useQueryState('role');
  const [chosen, setChosen] = useQueryState('user');
  const [isAdding, setAdding] = useState(false);
  const users = useMemo(() => data?.map(toUser), [data]);
  const rows = useMemo(() => users?.filter((user) => role === '' || user.role === role), [users, role]);
  const textOf = useMemo(() => (user: User) => `${user.username} ${usersText.roles[user.role]}`, []);
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
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_users')} />}
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
