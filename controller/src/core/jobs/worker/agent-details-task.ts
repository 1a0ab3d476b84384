// The work behind #22: the agents that the job's owner may see, in order of ap_id, page by page.
import type { AgentDetailsTask } from '@weft/contract';
import { matchesGlob } from '@weft/contract/glob';
import { type AgentDetailTexts, isListed, needsStates } from '../../network/agent-details.ts';
import { type AgentRow, byApId, firstAt } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import type { Sight } from '../../network/sight.ts';
import type { JobRecord } from '../store/job-record.ts';
import { JobFailed, type JobRun, type JobTask } from './job-run.ts';

const maxAgents = 500;
const maxBytes = 512 * 1024;
const firstPage = 200;
const smallestPage = 8;

/** What the owner of a job sees now; undefined if the owner is gone, or may not ask any more. */
export type SightOf = (job: JobRecord) => Promise<Sight<AgentRow> | undefined>;

export interface AgentDetailsTaskOptions {
  network: Pick<Network, 'agents' | 'moment'>;
  details: Pick<AgentDetailTexts, 'read'>;
  sightOf: SightOf;
}

export function createAgentDetailsTask({ network, details, sightOf }: AgentDetailsTaskOptions): JobTask {
  return async (run) => {
    const { agents: patterns, ...filter } = parseTask(run.job);
    const { stateOf } = await run.retryUnavailable(() => network.moment({ state: needsStates(filter) }));
    let after = lastApId((await run.resume())?.data);
    let chunk = new AgentChunk();
    for (let limit = firstPage; ; ) {
      const sight = await run.retryUnavailable(() => requireOwner(run, sightOf));
      const all = network.agents;
      const start = firstAt(all.length, (at) => byApId(all[at]!, { ap_id: after }) > 0);
      const page = all.slice(start, start + limit);
      if (page.length === 0) break;
      after = page.at(-1)!.ap_id;
      const asked = page.filter((agent) => {
        const { ap_id, emulated_for } = agent;
        // The patterns are those of the app when it asked; its own emulated agents need none.
        const isAsked =
          emulated_for === run.job.owner_id || (patterns?.some((pattern) => matchesGlob(pattern, ap_id)) ?? true);
        return isAsked && sight.sees(agent) && isListed(agent, filter, stateOf);
      });
      let pageBytes = 1;
      for (const text of await run.retryUnavailable(() => details.read(asked))) {
        const bytes = Buffer.byteLength(text);
        pageBytes += bytes;
        if (!chunk.hasRoom(bytes)) {
          await run.post(chunk.text());
          chunk = new AgentChunk();
        }
        chunk.add(text, bytes);
      }
      if (page.length < limit) break;
      // Configurations differ much in size: the next page should come to about one chunk.
      limit = Math.max(smallestPage, Math.min(maxAgents, Math.floor((maxBytes * page.length) / pageBytes)));
    }
    await run.post(chunk.text(), { final: true, progress: 1 });
  };
}

export async function requireOwner(run: JobRun, sightOf: SightOf): Promise<Sight<AgentRow>> {
  const sight = await sightOf(run.job);
  if (!sight) throw new JobFailed('Whoever asked for this is gone, or may not ask for it any more');
  return sight;
}

class AgentChunk {
  readonly #texts: string[] = [];
  #bytes = 2;

  hasRoom(bytes: number): boolean {
    if (this.#texts.length === 0) return true;
    return this.#texts.length < maxAgents && this.#bytes + 1 + bytes <= maxBytes;
  }

  add(text: string, bytes: number): void {
    this.#texts.push(text);
    this.#bytes += bytes + 1;
  }

  text(): string {
    return `[${this.#texts.join()}]`;
  }
}

function parseTask(job: JobRecord): AgentDetailsTask {
  const task = JSON.parse(job.data) as AgentDetailsTask;
  const { agents } = task;
  if (agents === undefined || (Array.isArray(agents) && agents.every((each) => typeof each === 'string'))) return task;
  throw new JobFailed('The job does not say which agents it is about');
}

/** '' comes before every ap_id. */
function lastApId(data: string | undefined): string {
  if (data === undefined) return '';
  const last = (JSON.parse(data) as { ap_id?: unknown }[]).at(-1);
  if (typeof last?.ap_id !== 'string') throw new JobFailed('Others have posted to this job: it cannot be gone on with');
  return last.ap_id;
}
