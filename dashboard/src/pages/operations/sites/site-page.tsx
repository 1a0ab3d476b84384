// One site and what is below it: how it is, what broke, where it stands, who looks after it, and planned work in one click.
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { FailureNotice, Loading, showToast, useAction } from '../../../components/feedback.tsx';
import { HealthMark } from '../../../components/glyph.tsx';
import { Card, Page } from '../../../components/page.tsx';
import { useFleet } from '../../../data/fleet.ts';
import { serverNow } from '../../../data/freshness.ts';
import { queries, useIsManager, useOperation } from '../../../data/use-operation.ts';
import { formatNumber } from '../../../format.ts';
import { SmallMap } from '../../../map/lazy-fleet-map.tsx';
import type { PageProps } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { agentsText } from '../../../text/pages.ts';
import { ownZone, whenWords } from '../alarms/silences.tsx';
import { AlarmLine, useIncidentEvents } from '../incidents/incident-cards.tsx';
import { FigureStrip } from '../overview/figure-strip.tsx';
import { useNetworkHealth } from '../overview/health-card.tsx';
import '../overview/overview-page.css';
import { RecentIncidents, useRecentIncidents } from '../overview/recent-incidents.tsx';
import { SiteDialog } from './site-dialog.tsx';
import { nextMaintenance, peopleOf, selectorOfSite } from './site-words.ts';
import './sites-page.css';

const rolesText = { manager: 'manages', operator: 'operates', viewer: 'reads', auditor: 'audits' } as Record<
  string,
  string
>;

const hours = 24;
const maxAlarms = 5;
/** What stands at the foot comes after what is seen first. */
const laterMs = 2600;

export function SitePage({ params }: PageProps) {
  const path = params.path!;
  const selector = selectorOfSite(path);
  const query = new URLSearchParams({ selector });
  const network = useNetworkHealth().data;
  const health = network?.sites.find((site) => site.path === path);
  const [isEditing, setEditing] = useState(false);
  // A site without access points has no health, and its name is asked for.
  const isWanted = isEditing || (network !== undefined && !health);
  const site = useOperation('list_sites', { query: { path, limit: 1 } }, { isWanted }).data?.items[0];
  const name = site?.name ?? health?.name ?? path.slice(path.lastIndexOf('/') + 1);
  const incidents = useRecentIncidents(selector, hours);
  useIncidentEvents();
  return (
    <Page
      title={name}
      beside={<a href="/sites">All sites</a>}
      lead={
        <p class="site-lead" role="status" title={health?.causes.join(' · ')}>
          {health && <HealthMark health={health.health} />}
          <strong>{health ? agentsText.healthWords[health.health] : 'No access points yet'}</strong>{' '}
          <span class="soft">{health && (health.causes.join(' · ') || 'Nothing is wrong.')}</span>
        </p>
      }
      actions={
        <>
          <ButtonLink icon="agents" href={`/agents?${query}`} words="Access points" />
          {session.value?.isAdmin && <Button icon="edit" onClick={() => setEditing(true)} words="Edit" />}
        </>
      }
    >
      <FigureStrip selector={selector} />
      <Loading data={incidents.data} failure={incidents.failure} again="list_incidents" lines={6} />
      {incidents.data && (
        <>
          <RecentIncidents
            incidents={incidents.data.items}
            hasMore={incidents.data.next !== null}
            {...{ hours, selector }}
          />
          <div class="site-grid">
            <AreaMap path={path} />
            <div class="stack">
              <Maintenance path={path} name={name} />
              <People path={path} />
            </div>
            <Alarms selector={selector} />
          </div>
        </>
      )}
      {isEditing && site && <SiteDialog site={site} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function AreaMap({ path }: { path: string }) {
  const { agents } = useFleet();
  const own = useMemo(() => agents?.filter(({ site }) => site === path || site.startsWith(`${path}/`)), [agents, path]);
  return <SmallMap agents={own} label="Map of this site" href={`/map?${new URLSearchParams({ q: path })}`} />;
}

/** Planned work: what applies or comes, and the most usual one in one click. */
function Maintenance({ path, name }: { path: string; name: string }) {
  const { data, failure } = useOperation('list_silences', {}, { pollMs: 15_000, firstAfterMs: laterMs });
  const { isBusy, act } = useAction();
  const isManager = useIsManager();
  const selector = selectorOfSite(path);
  const own = data?.items.filter((silence) => silence.selector === selector && (silence.active || silence.next));
  const refresh = () => {
    queries.refresh('list_silences', 'list_alarms', 'network_health');
  };
  const plan = () =>
    act(async () => {
      const { from, until } = nextMaintenance(serverNow());
      const json = { selector, from: from.toISOString(), until: until.toISOString(), comment: 'Maintenance' };
      const { id } = await call('create_silence', { json });
      refresh();
      const undo = async () => {
        await call('remove_silence', { path: { silence_id: id } });
        refresh();
        return 'Nothing is planned any more';
      };
      showToast({
        title: `Maintenance of ${name} planned for Sunday, 02:00 to 05:00`,
        action: { label: 'Undo', onChoose: () => void act(undo) },
      });
    });
  return (
    <Card title="Maintenance">
      {failure && <FailureNotice failure={failure} />}
      {own?.length === 0 && (
        <p class="soft">
          Nothing is planned. During maintenance nobody is told of alarms here; they are still recorded.
        </p>
      )}
      <ul class="plain-list">
        {own?.map((silence) => (
          <li key={silence.id}>
            {whenWords(silence)} {silence.active && <strong class="is-warning">applies now</strong>}
          </li>
        ))}
      </ul>
      {isManager && (
        <div>
          <Button icon="clock" isBusy={isBusy} onClick={plan} words="Maintenance, Sunday 2 to 5" />
          <p class="faint small">{`The next Sunday, 02:00 to 05:00, in the time zone of this browser: ${ownZone()}.`}</p>
        </div>
      )}
    </Card>
  );
}

function Alarms({ selector }: { selector: string }) {
  const query = { state: 'firing,acknowledged', sort: 'severity' as const, selector, limit: maxAlarms };
  const { data, failure } = useOperation('list_alarms', { query }, { pollMs: 5000, firstAfterMs: laterMs });
  return (
    <section class="card site-alarms">
      <div class="spread">
        <h2>Alarms</h2>
        <a class="small" href={`/alarms?${new URLSearchParams({ selector })}`}>
          {data?.next ? 'More alarms' : 'All alarms'}
        </a>
      </div>
      <Loading data={data} failure={failure} lines={3} />
      {data?.items.length === 0 && <p class="soft">No active alarms.</p>}
      <ul class="event-list">
        {data?.items.map((alarm) => (
          <AlarmLine key={alarm.id} alarm={alarm} />
        ))}
      </ul>
    </section>
  );
}

function People({ path }: { path: string }) {
  const isAdmin = session.value?.isAdmin === true;
  const { data, failure } = useOperation('list_grants', {}, { isWanted: isAdmin, firstAfterMs: laterMs });
  const people = data && peopleOf(data, path);
  if (!isAdmin) return null;
  return (
    <section class="card stack">
      <div class="spread">
        <h2>People with rights here</h2>
        <a class="small" href="/users">
          Give rights
        </a>
      </div>
      <Loading data={data} failure={failure} again="list_grants" lines={2} />
      {people?.length === 0 && <p class="soft">Only administrators, and users without grants, who read everything.</p>}
      <ul class="plain-list">
        {people?.slice(0, 20).map(({ username, roles }) => (
          <li key={username} class="spread">
            <a href={`/users?${new URLSearchParams({ user: username })}`}>{username}</a>
            <span class="soft">{roles.map((role) => rolesText[role] ?? role).join(', ')}</span>
          </li>
        ))}
      </ul>
      {people && people.length > 20 && <p class="faint small">{`and ${formatNumber(people.length - 20)} more`}</p>}
    </section>
  );
}
