// Sites and tags as chips that are picked and taken away, for selectors that are made of nothing else; others are texts.
import { useState } from 'preact/hooks';
import { useAgents } from '../../data/lists/list-pages.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Icon } from '../button.tsx';

export interface Chips {
  /** Paths; each with all that is below it. Any of them. */
  sites: readonly string[];
  /** All of them. */
  tags: readonly string[];
}

const word = String.raw`[^\s"()]+`;
const siteTerm = new RegExp(`^site:(${word})$`);
const tagTerm = new RegExp(`^tag:(${word})$`);

/** Undefined if the selector says more than chips can. */
export function readChips(selector: string): Chips | undefined {
  const [, several, rest] = /^\(([^()]*)\)(.*)$/.exec(selector.trim()) ?? [];
  const sites = several?.split(' or ').map((term) => term.trim()) ?? [];
  const tags: string[] = [];
  for (const term of (rest ?? selector).split(/\s+/).filter(Boolean)) {
    if (tagTerm.test(term)) tags.push(tagTerm.exec(term)![1]!);
    else if (sites.length === 0) sites.push(term);
    else return undefined;
  }
  const paths = sites.map((term) => siteTerm.exec(term)?.[1]);
  if (paths.some((path) => !path?.endsWith('/**') || path.slice(0, -3).includes('*'))) return undefined;
  if (tags.some((tag) => tag.includes('*'))) return undefined;
  return { sites: paths.map((path) => path!.slice(0, -3)), tags };
}

export function writeChips({ sites, tags }: Chips): string {
  const terms = sites.map((path) => `site:${path}/**`);
  const where = terms.length > 1 ? `(${terms.join(' or ')})` : (terms[0] ?? '');
  return [where, ...tags.map((tag) => `tag:${tag}`)].filter(Boolean).join(' ');
}

/** What is offered is asked for once somebody comes near. */
function useOffered(isWanted: boolean) {
  const sites = useOperation('list_sites', { query: { limit: 1000 } }, { isWanted });
  const agents = useAgents({ limit: 500 }, { pages: 1, pollMs: () => 120_000, isWanted });
  const tags = agents.data && new Set(agents.data.items.flatMap((agent) => agent.tags));
  const simple = new RegExp(`^${word}$`);
  return {
    sites: sites.data?.items.filter(({ path }) => simple.test(path)),
    tags: tags && [...tags].filter((tag) => simple.test(tag)).sort(),
  };
}

interface SelectorChipsProps {
  chips: Chips;
  onChange: (selector: string) => void;
  /** Of the first choice, which stands for the whole field. */
  attributes?: object | undefined;
}

export function SelectorChips({ chips, onChange, attributes }: SelectorChipsProps) {
  const [isNear, setNear] = useState(chips.sites.length > 0);
  const offered = useOffered(isNear);
  const nameOf = (path: string) => offered.sites?.find((site) => site.path === path)?.name ?? path;
  const change = (next: Partial<Chips>) => onChange(writeChips({ ...chips, ...next }));
  return (
    <span class="selector-chips" onPointerEnter={() => setNear(true)} onFocusIn={() => setNear(true)}>
      {chips.sites.map((path) => (
        <Chip
          key={path}
          words={nameOf(path)}
          onRemove={() => change({ sites: chips.sites.filter((it) => it !== path) })}
        />
      ))}
      {chips.tags.map((tag) => (
        <Chip key={tag} words={`# ${tag}`} onRemove={() => change({ tags: chips.tags.filter((it) => it !== tag) })} />
      ))}
      <Picker
        label="Add a site"
        attributes={attributes}
        options={offered.sites?.filter(({ path }) => !chips.sites.includes(path)).map(({ path, name }) => [path, name])}
        onPick={(path) => change({ sites: [...chips.sites, path] })}
      />
      <Picker
        label="Add a tag"
        options={offered.tags?.filter((tag) => !chips.tags.includes(tag)).map((tag) => [tag, tag])}
        onPick={(tag) => change({ tags: [...chips.tags, tag] })}
      />
    </span>
  );
}

function Chip({ words, onRemove }: { words: string; onRemove: () => void }) {
  return (
    <button type="button" class="selector-chip" title={`Remove ${words}`} onClick={onRemove}>
      {words}
      <Icon name="close" size={12} />
    </button>
  );
}

interface PickerProps {
  label: string;
  /** Undefined until they are known. */
  options: [value: string, words: string][] | undefined;
  onPick: (value: string) => void;
  attributes?: object | undefined;
}

/** Goes back to its label once something was picked. */
function Picker({ label, options, onPick, attributes }: PickerProps) {
  return (
    <select
      aria-label={attributes === undefined ? label : undefined}
      {...attributes}
      class="input selector-picker"
      value=""
      onChange={({ currentTarget }) => {
        const picked = currentTarget.value;
        currentTarget.value = '';
        if (picked !== '') onPick(picked);
      }}
    >
      <option value="">{options?.length === 0 ? `${label}: none yet` : label}</option>
      {options?.map(([value, words]) => (
        <option key={value} value={value}>
          {words === value ? value : `${words} (${value})`}
        </option>
      ))}
    </select>
  );
}
