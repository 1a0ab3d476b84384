// Grants of users and permissions of apps that name a display name, for `weft doctor`: rights depend on ap_ids, sites and tags, which
// managers cannot change outside of what they were granted.
import type { Grant } from '@weft/contract';
import { matchesGlob } from '@weft/contract/glob';
import { namePatterns, parseSelector } from '@weft/contract/selector';
import type { SqlQueries } from '../storage/sql-database.ts';

/** One sentence for each `name:` that only display names match. */
export async function grantsByDisplayName(database: SqlQueries): Promise<string[]> {
  const users = await database.query<{ username: string; grants: string }>(
    "SELECT username, grants FROM users WHERE grants LIKE '%name:%' ORDER BY username",
  );
  const apps = await database.query<{ app_name: string; permissions: string }>(
    "SELECT app_name, permissions FROM third_party_apps WHERE permissions LIKE '%name:%' ORDER BY app_name",
  );
  if (users.length === 0 && apps.length === 0) return [];
  const agents = await database.query<{ ap_id: string; display_name: string | null }>(
    'SELECT ap_id, display_name FROM agents',
  );
  const given = [
    ...users.flatMap(({ username, grants }) =>
      (JSON.parse(grants) as Grant[]).map(({ selector }) => ({ who: username, selector })),
    ),
    ...apps.map(({ app_name, permissions }) => ({
      who: `app ${app_name}`,
      selector: JSON.parse(permissions).selector,
    })),
  ];
  return given.flatMap(({ who, selector }) => {
    if (typeof selector !== 'string') return [];
    const patterns = namePatterns(parseSelector(selector)).filter((pattern) => {
      const isCalled = (name: string | null) => name !== null && matchesGlob(pattern, name);
      return agents.some(({ display_name }) => isCalled(display_name)) && !agents.some(({ ap_id }) => isCalled(ap_id));
    });
    return patterns.map((pattern) => `${who}: name:${pattern} is a display name`);
  });
}
