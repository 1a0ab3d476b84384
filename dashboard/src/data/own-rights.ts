// What the signed-in user may do anywhere, beyond reading. What it may do with one access point is said by lists (`may`).
import { session } from '../session/session.ts';
import { useOperation } from './use-operation.ts';

/** Whether the user may register access points and create silences somewhere: an administrator, or a manager by grant. */
export function useIsManager(): boolean {
  const { isAdmin = false, username = '' } = session.value ?? {};
  const { data } = useOperation('get_grants', { path: { username } }, { isWanted: !isAdmin && username !== '' });
  return isAdmin || (data?.some(({ role }) => role === 'manager') ?? false);
}
