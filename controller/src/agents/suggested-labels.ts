// What an agent says about itself in `configuration.site` and `configuration.tags`: a suggestion, because labels decide who
// may do what.
import { isSitePath, isTag, maxTags } from '@weft/contract/label-rules';

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
