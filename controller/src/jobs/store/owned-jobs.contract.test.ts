import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { agentNamed } from '../../agents/agent-store.contract.ts';
import { createAgentStore } from '../../agents/agent-store.sql.ts';
import { createThirdPartyAppStore } from '../../third-party-apps/third-party-app-store.sql.ts';
import { createUserStore } from '../../users/user-store.sql.ts';
import { createMailboxStore } from '../mailbox/mailbox-store.sql.ts';
import { createJobStore } from './job-store.sql.ts';
import { describeOwnedJobs } from './owned-jobs.contract.ts';
import { createOwnedJobs } from './owned-jobs.sql.ts';

eachDatabase((kind) => {
  describeOwnedJobs(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [database, otherNode] = nodes;
    const mailbox = createMailboxStore(otherNode);
    return {
      owned: createOwnedJobs(database),
      jobs: createJobStore(database),
      database,
      async end(job_number) {
        const ends = { state: 'cancelled', detail: null, keepUntil: Date.now() + 60_000 } as const;
        await mailbox.append({ job_number, type: 'status', data: '[]', ts: Date.now(), chunk: null, ends });
      },
      async caller(callerKind, id, isDisabled = false) {
        const head = { id, ver: 'v1', created_at: 0 };
        const name = `name of ${id}`;
        if (callerKind === 'agent') await createAgentStore(database).create(agentNamed(name, { id }));
        else if (callerKind === 'third_party_app') {
          const app = { ...head, app_name: name, api_key_encrypted: '', permissions: {} };
          await createThirdPartyAppStore(database).create(app);
        } else {
          const state = {
            disabled_at: isDisabled ? 1 : null,
            disabled_by: isDisabled ? 'x' : null,
            waiting_since: null,
            grants: [],
          };
          await createUserStore(database).create({
            ...head,
            username: name,
            password_hash: '',
            roles: ['user'],
            ...state,
          });
        }
      },
      async grant(id) {
        await createUserStore(database).update(`name of ${id}`, { grants: [{ role: 'viewer' }] });
      },
      remove,
    };
  });
});
