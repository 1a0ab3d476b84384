import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { agentNamed } from '../../agents/agent-store.contract.ts';
import { AgentStore } from '../../agents/agent-store.ts';
import { ThirdPartyAppStore } from '../../third-party-apps/third-party-app-store.ts';
import { UserStore } from '../../users/user-store.ts';
import { MailboxStore } from '../mailbox/mailbox-store.ts';
import { JobStore } from './job-store.ts';
import { describeOwnedJobs } from './owned-jobs.contract.ts';
import { OwnedJobs } from './owned-jobs.ts';

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
