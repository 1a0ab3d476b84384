// The sites as a tree: how many access points each has, where it is, and its time zone.

import { useMemo, useState } from 'preact/hooks';
import type { Site, SiteHealth } from '../../../api/client.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { HealthMark } from '../../../components/glyph.tsx';
import { Page } from '../../../components/page.tsx';
import { type SiteNode, siteTree, useSites } from '../../../data/sites.ts';
import { formatNumber } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { agentsText, sitesText } from '../../../text/pages.ts';
import { useNetworkHealth } from '../overview/health-card.tsx';
import { SiteDialog } from './site-dialog.tsx';
import './sites-page.css';

type Editing = { site?: Site; path?: string };

export function SitesPage({ title }: PageProps) {
  const { sites, failure } = useSites();
  const [editing, setEditing] = useState<Editing | undefined>(undefined);
  const isAdmin = session.value?.isAdmin === true;
  const roots = useMemo(() => siteTree(sites ?? []), [sites]);
  const { data } = useNetworkHealth();
  const healths = useMemo(() => new Map(data?.sites.map((site) => [site.path, site])), [data]);
  const create = isAdmin && (
    <Button icon="plus" kind="primary" onClick={() => setEditing({})} words={sitesText.create} />
  );
  return (
    <Page title={title} actions={roots.length > 0 && create}>
      <Loading data={sites} failure={failure} again="list_sites" lines={8} />
      {sites?.length === 0 && (
        <EmptyState
          title="No sites yet"
          actions={create}
          words="Create a site, then put access points into it: choose them in the list of access points and set their site."
        />
      )}
      {roots.length > 0 && (
        <>
          <p class="soft">
            Sites group access points as a tree. Selectors, alarms, silences and rights go by them: site:uk/bristol/**.
          </p>
          <ul class="card site-tree" aria-label="Sites">
            {roots.map((node) => (
              <SiteRow key={node.path} {...{ node, healths, isAdmin }} onEdit={setEditing} />
            ))}
          </ul>
        </>
      )}
      {editing && <SiteDialog {...editing} onClose={() => setEditing(undefined)} />}
    </Page>
  );
}

interface SiteRowProps {
  node: SiteNode;
  /** By path; those that have no access points have none. */
  healths: ReadonlyMap<string, SiteHealth>;
  isAdmin: boolean;
  onEdit: (editing: Editing) => void;
}

function SiteRow({ node, healths, isAdmin, onEdit }: SiteRowProps) {
  const [isOpen, setOpen] = useState(true);
  const { path, name, site, total, children } = node;
  return (
    <li>
      <div class="site-row">
        {children.length > 0 ? (
          <IconButton
            icon={isOpen ? 'chevron-down' : 'chevron-right'}
            class="small"
            label={isOpen ? `Hide what is below ${name}` : `Show what is below ${name}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        ) : (
          <span class="site-leaf" />
        )}
        <div class="site-words">
          <a href={`/sites/${encodeURIComponent(path)}`} aria-label={`Open ${name}`}>
            {name}
          </a>
          <span class="faint small">
            <code>{path}</code>
            {site ? site.time_zone && ` · ${site.time_zone}` : ' · folder, no access points of its own'}
            {site?.notes && ` · ${site.notes.split('\n')[0]}`}
          </span>
        </div>
        <SiteHealthWord health={healths.get(path)} />
        <span class="site-count" title={`${formatNumber(total)} with those below`}>
          {formatNumber(total)}
        </span>
        {isAdmin && (
          <div class="site-acts">
            <IconButton icon="plus" label={`New site below ${name}`} onClick={() => onEdit({ path: `${path}/` })} />
            <IconButton icon="edit" label={sitesText.editOf(name)} onClick={() => onEdit(site ? { site } : { path })} />
          </div>
        )}
      </div>
      {isOpen && children.length > 0 && (
        <ul>
          {children.map((child) => (
            <SiteRow key={child.path} node={child} {...{ healths, isAdmin, onEdit }} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** In one word, with the first cause; the place is kept while it is not known. */
function SiteHealthWord({ health }: { health: SiteHealth | undefined }) {
  if (!health) return <span />;
  const causes = health.causes.join(' · ');
  return (
    <span class="site-health" title={causes}>
      <HealthMark health={health.health} />
      <span class="site-health-word">{agentsText.healthWords[health.health]}</span>
      {causes !== '' && <span class="faint small site-cause">{health.causes[0]}</span>}
    </span>
  );
}
