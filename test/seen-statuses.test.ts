// A status that an operation answers and its document does not name is found, in this process and at the end of all tests.
import { expect, test } from 'vitest';
import { compareStatuses, findUnaudited } from './seen-statuses.ts';

const documented = new Set(['get_user 200', 'get_user 404', 'get_user 503', 'create_user 200', 'create_user 409']);

test('a status that the document does not name is a fault', () => {
  const seen = new Set(['get_user 200', 'get_user 410', 'create_user 404']);
  expect(compareStatuses(seen, documented).undocumented).toEqual(['create_user 404', 'get_user 410']);
});

test('pages, sockets and addresses without an operation have no document', () => {
  const seen = new Set(['get_user 200', 'none 404', 'job_socket 101', 'documentation 200']);
  expect(compareStatuses(seen, documented).undocumented).toEqual([]);
});

test('an operation that changes something and never left an audit entry is a fault', () => {
  const changing = new Set(['create_user', 'update_user', 'remove_user']);
  const seen = new Set(['create_user 200', 'update_user 200', 'remove_user 404', 'get_user 200']);
  expect(findUnaudited(changing, seen, new Set(['create_user']))).toEqual(['update_user']);
});

test('what no test has seen is listed, without what every operation can answer', () => {
  const seen = new Set(['get_user 200', 'create_user 200', 'create_user 409']);
  expect(compareStatuses(seen, documented).unseen).toEqual(['get_user 404']);
});
