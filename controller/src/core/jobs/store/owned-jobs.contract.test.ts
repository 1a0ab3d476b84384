// What the source of owned jobs promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { agentNamed, newJob } from '../../../../../test/pure/stored-records.ts';
import { AgentStore } from '../../accounts/agents/agent-store.ts';
import { ThirdPartyAppStore } from '../../accounts/third-party-apps/third-party-app-store.ts';
import { UserStore } from '../../accounts/users/user-store.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { MailboxStore } from '../mailbox/mailbox-store.ts';
import type { NewJob } from './job-record.ts';
import { JobStore } from './job-store.ts';
import { OwnedJobs } from './owned-jobs.ts';

interface OwnedJobsFixture {
  owned: OwnedJobs;
  jobs: JobStore;
  database: SqlDatabase;
  /** Ends a job. */
  end(job_number: string): Promise<void>;
  /** Creates the record of a caller with this id. */
  caller(kind: NewJob['owner_kind'], id: string, isDisabled?: boolean): Promise<void>;
  /** Grants something to the user with this id. */
  grant(id: string): Promise<void>;
  remove(): Promise<void>;
}

function describeOwnedJobs(open: () => Promise<OwnedJobsFixture>): void {
  let fixture: OwnedJobsFixture;
  beforeEach(async () => {
    fixture = await open();
  });
  afterEach(() => fixture.remove());

  const create = async (...jobs: NewJob[]) => {
    for (const job of jobs) await fixture.jobs.create(job);
  };
  const numbers = (jobs: readonly { job_number: string }[]) => jobs.map(({ job_number }) => job_number);
  const by = (owner_id: string, owner_kind: NewJob['owner_kind'] = 'user') => ({
    owner_kind,
    owner_id,
    owner_name: `name of ${owner_id}`,
  });

  test('listOpen gives the open jobs of an owner, oldest first, without commands, runs and those of others', async () => {
    await create(
      newJob('second', { ...by('ada'), created_at: 2 }),
      newJob('first', { ...by('ada'), created_at: 1, subject: 'ap-1' }),
      newJob('over', by('ada')),
      newJob('command', { ...by('ada'), task_type: 'send_command' }),
      newJob('run', { ...by('ada'), task_type: 'emulator_spinup' }),
      newJob('namesake', by('ada', 'third_party_app')),
      newJob('other', by('bob')),
    );
    await fixture.end('over');
    const { owned, database } = fixture;
    const found = await database.transaction((tx) => owned.listOpen(tx, by('ada')));
    expect(numbers(found)).toEqual(['first', 'second']);
    expect(found[0]).toEqual({
      job_number: 'first',
      task_type: 'agent_data',
      subject: 'ap-1',
      owner_kind: 'user',
      owner_id: 'ada',
    });
  });

  test('listAbout gives the same about an agent, whoever owns them', async () => {
    await create(
      newJob('a', { ...by('ada'), subject: 'ap-1', created_at: 1 }),
      newJob('b', { ...by('bob'), subject: 'ap-1', created_at: 2 }),
      newJob('c', { ...by('bob'), subject: 'ap-2' }),
      newJob('d', by('bob')),
    );
    const { owned, database } = fixture;
    expect(numbers(await database.transaction((tx) => owned.listAbout(tx, 'ap-1')))).toEqual(['a', 'b']);
  });

  test('ownersAmong knows who of them owns an open job of any kind', async () => {
    await create(newJob('a', { ...by('ada'), task_type: 'send_command' }), newJob('b', by('bob')));
    await fixture.end('b');
    const { owned, database } = fixture;
    const among = (ids: string[]) => database.transaction((tx) => owned.ownersAmong(tx, ids));
    expect(await among(['ada', 'bob', 'eve'])).toEqual(new Set(['ada']));
    expect(await among([])).toEqual(new Set());
  });

  test('listEndedOwners gives owners of open jobs who are gone or disabled, of every kind', async () => {
    for (const kind of ['user', 'agent', 'third_party_app'] as const) {
      await fixture.caller(kind, `here-${kind}`);
      await create(newJob(`here ${kind}`, by(`here-${kind}`, kind)), newJob(`gone ${kind}`, by(`gone-${kind}`, kind)));
    }
    await fixture.caller('user', 'disabled', true);
    await create(newJob('disabled', by('disabled')), newJob('over', by('over')));
    await fixture.end('over');
    const ids = (await fixture.owned.listEndedOwners(10)).map(({ owner_kind, owner_id }) => [owner_id, owner_kind]);
    expect(ids).toEqual([
      ['disabled', 'user'],
      ['gone-agent', 'agent'],
      ['gone-third_party_app', 'third_party_app'],
      ['gone-user', 'user'],
    ]);
    expect(await fixture.owned.listEndedOwners(1)).toEqual([by('disabled')]);
  });

  test('listLimited gives the apps and the users with grants that own open jobs', async () => {
    for (const id of ['busy', 'idle']) await fixture.caller('third_party_app', id);
    await create(newJob('a', by('busy', 'third_party_app')), newJob('b', by('ada')));
    for (const id of ['ada', 'bob']) await fixture.caller('user', id);
    expect(await fixture.owned.listLimited()).toEqual([by('busy', 'third_party_app')]);
    await fixture.grant('ada');
    await fixture.grant('bob');
    expect(await fixture.owned.listLimited()).toEqual([by('busy', 'third_party_app'), by('ada')]);
  });

  test('a job that requires its owner is created only while the owner is there and enabled', async () => {
    const limits = { maxOpen: 10, maxUnpublished: 10, requireOwner: true };
    const refused = { code: 'invalid_token' };
    const create = (id: string, kind: NewJob['owner_kind'] = 'user') =>
      fixture.jobs.create(newJob(`job of ${id}`, by(id, kind)), limits);
    await fixture.caller('user', 'disabled', true);
    for (const kind of ['user', 'agent', 'third_party_app'] as const) {
      await expect(create(kind, kind)).rejects.toMatchObject(refused);
      await fixture.caller(kind, kind);
      await create(kind, kind);
    }
    await expect(create('disabled')).rejects.toMatchObject(refused);
    const full = fixture.jobs.create(newJob('more', by('user')), { ...limits, maxOpen: 1 });
    await expect(full).rejects.toMatchObject({ code: 'too_many_jobs' });
    const checked = fixture.jobs.create(newJob('checked', by('user')), {
      ...limits,
      check: () => Promise.reject(new Error('not any more')),
    });
    await expect(checked).rejects.toThrow('not any more');
    expect(await fixture.jobs.get('checked')).toBeUndefined();
  });
}

eachDatabase((kind) => {
  describeOwnedJobs(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [database, otherNode] = nodes;
    const mailbox = new MailboxStore(otherNode);
    return {
      owned: new OwnedJobs(database),
      jobs: new JobStore(database),
      database,
      async end(job_number) {
        const ends = { state: 'cancelled', detail: null, keepUntil: Date.now() + 60_000 } as const;
        await mailbox.append({ job_number, type: 'status', data: '[]', ts: Date.now(), chunk: null, ends });
      },
      async caller(callerKind, id, isDisabled = false) {
        const head = { id, ver: 'v1', created_at: 0 };
        const name = `name of ${id}`;
        if (callerKind === 'agent') await new AgentStore(database).create(agentNamed(name, { id }));
        else if (callerKind === 'third_party_app') {
          const app = { ...head, app_name: name, api_key_encrypted: '', permissions: {} };
          await new ThirdPartyAppStore(database).create(app);
        } else {
          const state = {
            disabled_at: isDisabled ? 1 : null,
            disabled_by: isDisabled ? 'x' : null,
            waiting_since: null,
            grants: [],
          };
          await new UserStore(database).create({
            ...head,
            username: name,
            password_hash: '',
            roles: ['user'],
            ...state,
          });
        }
      },
      async grant(id) {
        await new UserStore(database).update(`name of ${id}`, { grants: [{ role: 'viewer' }] });
      },
      remove,
    };
  });
});
