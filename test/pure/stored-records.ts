// Records for tests of stores and of what stands on them: each with what a plain one has, and what the test says.
import { randomUUID } from 'node:crypto';
import type { AgentRecord } from '../../controller/src/core/accounts/agents/agent-record.ts';
import type { SiteRecord } from '../../controller/src/core/accounts/sites/site-store.ts';
import type { UserRecord } from '../../controller/src/core/accounts/users/user-record.ts';
import type { NewJob } from '../../controller/src/core/jobs/store/job-record.ts';

export function userNamed(username: string, roles = ['user']): UserRecord {
  return {
    id: randomUUID(),
    username,
    password_hash: 'hash-1',
    roles,
    ver: 'ver-1',
    created_at: 1_790_000_000_000,
    disabled_at: null,
    disabled_by: null,
    waiting_since: null,
    grants: [],
  };
}

export function agentNamed(ap_id: string, more: Partial<AgentRecord> = {}): AgentRecord {
  return {
    id: randomUUID(),
    ap_id,
    password_hash: 'hash-1',
    configuration: {},
    onboard: false,
    emulated_for: null,
    ver: 'ver-1',
    created_at: 1_790_000_000_000,
    display_name: null,
    site: null,
    tags: [],
    ...more,
  };
}

export function siteAt(path: string, more: Partial<SiteRecord> = {}): SiteRecord {
  return {
    id: randomUUID(),
    path,
    name: path,
    geolocation: null,
    time_zone: null,
    notes: '',
    created_at: 1_790_000_000_000,
    ...more,
  };
}

export function newJob(job_number: string, more: Partial<NewJob> = {}): NewJob {
  return {
    job_number,
    task_type: 'agent_data',
    owner_kind: 'user',
    owner_id: 'ada',
    owner_name: 'ada@weft.test',
    data: '{"agent_id":"ap-1"}',
    created_at: 1_790_000_000_000,
    expires_at: 1_790_003_600_000,
    published_at: null,
    publish_after: 1_790_000_002_000,
    ...more,
  };
}
