// Changes of accounts. The server keeps the last administrator, and its words are shown with the way out.
import { Failure } from '../../api/failure.ts';
import { queries } from '../../data/use-operation.ts';
import { usersText } from '../../text/users.ts';

/** Resolves as the change does, once the lists are being requested again. */
export async function guardedChange<Value>(change: Promise<Value>): Promise<Value> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'last_administrator') throw error;
    throw new Failure(409, error.code, `${error.message.replace(/\.?$/, '.')} ${usersText.one.lastAdmin}`);
  } finally {
    refreshUsers();
  }
}

export function refreshUsers(): void {
  queries.refresh('list_users');
  queries.refresh('list_disabled_users');
  queries.refresh('list_waiting_users');
}
