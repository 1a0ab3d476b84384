// The labels of agents: display name, site and tags. Administrators own them; what an agent says about itself is only a
// suggestion, unless a setting accepts it where nobody has set anything.

import type { AgentLabels as LabelsAnswer, LabelsUpdate } from '@weft/contract';
import { isSitePath, isTag, maxTags } from '@weft/contract/label-rules';
import { type Actor, type Caller, system } from '../../base/caller.ts';
import { notFound, orNotFound } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { Network } from '../../network/network.ts';
import { Port } from '../../port.ts';
import type { AuditService } from '../audit/audit-service.ts';
import { labelsChanged } from './agent-entries.ts';
import { type AgentLabels, type AgentRecord, noLabels } from './agent-record.ts';
import { type AgentStore, UnknownSite } from './agent-store.ts';
import { etagOfLabels, requireMatch } from './etags.ts';

/** The labels of an agent that settings depend on, as they were and as they are or would be. */
export interface Relabelled {
  ap_id: string;
  before: { site: string | null; tags: readonly string[] };
  after: { site: string | null; tags: readonly string[] };
}

export interface LabelWatcher {
  /** Whose settings these labels change; of all of them, the ap_ids. */
  reconfigured(changes: readonly Relabelled[]): Promise<ReadonlySet<string>>;
}

export function labelWatcher(): Port<LabelWatcher> {
  return new Port<LabelWatcher>({ reconfigured: async () => new Set() });
}

export interface LabelServiceOptions {
  network: Pick<Network, 'visibleTo'>;
  agents: Pick<AgentStore, 'get' | 'changeLabels'>;
  audit: AuditService;
  /** Whether the suggestions of agents are accepted where no administrator has set anything. */
  acceptsSuggestions: boolean;
  /** Called after every change; must not throw. */
  onChanged: (ap_id: string) => void;
  /** Whose settings labels change. */
  watcher: Port<LabelWatcher>;
  onError: (error: unknown, message: string) => void;
}

/** With the ETag of the labels, which does not depend on suggestions. */
export interface TaggedLabels {
  labels: LabelsAnswer;
  etag: string;
}

interface ChangedLabels extends TaggedLabels {
  before: AgentLabels;
}

export class LabelService {
  readonly #options: LabelServiceOptions;

  constructor(options: LabelServiceOptions) {
    this.#options = options;
  }

  /** Throws NotFoundError for an agent that is unknown or that the caller may not see. */
  async get(ap_id: string, caller: Caller): Promise<TaggedLabels> {
    const { network, agents } = this.#options;
    (await network.visibleTo(caller)).require(ap_id);
    return toTagged(orNotFound(await agents.get(ap_id), 'Agent'));
  }

  /**
   * Repeating it changes nothing. Throws PermissionError for a user who does not manage the agent before and after, NotFoundError, ValidationError for a site that does not exist and for too many tags, and
   * PreconditionError if the labels are not those of `ifMatch` any more.
   */
  async update(ap_id: string, update: LabelsUpdate, by: Actor, ifMatch?: string): Promise<ChangedLabels> {
    let before: AgentLabels = noLabels;
    const after = await this.#change(
      ap_id,
      (record) => {
        rightsOf(by).requireManager(record);
        requireMatch(ifMatch, etagOfLabels(record));
        before = record;
        const labels = updatedLabels(record, update);
        // Nobody gives away what it manages, or takes what it does not.
        rightsOf(by).requireOwnLabels(record, labels);
        rightsOf(by).requireManagerOfNew({ ...record, ...labels });
        return labels;
      },
      by,
    );
    if (!after) throw notFound('Agent');
    return { ...toTagged(after), before };
  }

  /** As `update`; the labels say how many access points get other settings by it. */
  async change(ap_id: string, update: LabelsUpdate, by: Actor, ifMatch?: string): Promise<TaggedLabels> {
    const { labels, etag, before } = await this.update(ap_id, update, by, ifMatch);
    const affected = await this.#options.watcher.owner.reconfigured([{ ap_id, before, after: labels }]);
    return { labels: { ...labels, reconfigured: affected.size }, etag };
  }

  /** To be called when a configuration is new: takes over what it suggests, if that is the setting. Never throws. */
  async accept(ap_id: string, configuration: Record<string, unknown>): Promise<void> {
    const { site, tags } = suggestedLabels(configuration);
    if (!this.#options.acceptsSuggestions || (site === null && tags.length === 0)) return;
    const acceptWith = (suggestedSite: string | null) =>
      this.#change(
        ap_id,
        (record) => ({
          display_name: record.display_name,
          site: record.site ?? suggestedSite,
          tags: record.tags.length > 0 ? record.tags : tags,
        }),
        system,
      );
    try {
      await acceptWith(site).catch((error) => {
        if (!(error instanceof Error && error.cause instanceof UnknownSite)) throw error;
        return acceptWith(null);
      });
    } catch (error) {
      this.#options.onError(error, `the labels that ${ap_id} suggests could not be accepted`);
    }
  }

  async #change(ap_id: string, change: (record: AgentRecord) => AgentLabels, by: Actor) {
    const { agents, audit, onChanged } = this.#options;
    const also = audit.entry<AgentRecord>(({ before, after }) => labelsChanged(by, before!, after!));
    try {
      const after = await agents.changeLabels(ap_id, change, also);
      if (after) onChanged(ap_id);
      return after;
    } catch (error) {
      if (error instanceof UnknownSite) throw noSuchSite(error);
      throw error;
    }
  }
}

/** What would come of it; throws ValidationError for too many tags. */
export function updatedLabels(before: AgentLabels, update: LabelsUpdate): AgentLabels {
  const { display_name = before.display_name, site = before.site } = update;
  const tags = new Set(update.tags ?? before.tags);
  for (const tag of update.add_tags ?? []) tags.add(tag);
  for (const tag of update.remove_tags ?? []) tags.delete(tag);
  if (tags.size > maxTags) {
    const field = update.add_tags === undefined ? 'tags' : 'add_tags';
    throw invalidValue(['body', field], `an access point has at most ${maxTags} tags`);
  }
  return { display_name, site, tags: [...tags].sort() };
}

export function noSuchSite(cause: UnknownSite) {
  const error = invalidValue(['body', 'site'], 'there is no site with this path; create it first');
  error.cause = cause;
  return error;
}

function toTagged(agent: AgentRecord): TaggedLabels {
  const { ap_id, display_name, site, tags, configuration } = agent;
  const said = suggestedLabels(configuration);
  const suggested = {
    site: said.site === site ? null : said.site,
    tags: said.tags.filter((tag) => !tags.includes(tag)),
  };
  return { labels: { ap_id, display_name, site, tags, suggested }, etag: etagOfLabels(agent) };
}

/**
 * What an agent says about itself in `configuration.site` and `configuration.tags`: a suggestion, because labels decide who
 * may do what.
 */
export interface SuggestedLabels {
  site: string | null;
  tags: string[];
}

/** What is no path, or no tag, is left out. */
export function suggestedLabels({ site, tags }: Record<string, unknown>): SuggestedLabels {
  const path = typeof site === 'string' ? tidy(site).replace(/^\/+|\/+$/g, '') : '';
  const given = typeof tags === 'string' ? tags.split(',') : Array.isArray(tags) ? tags : [];
  const texts = given.slice(0, 1000).filter((each) => typeof each === 'string');
  const known = new Set(texts.map(tidy).filter(isTag));
  return { site: isSitePath(path) ? path : null, tags: [...known].sort().slice(0, maxTags) };
}

function tidy(text: string): string {
  return text.slice(0, 1000).normalize('NFC').trim();
}
