// Every page of the dashboard: its address, who may see it, where it stands in the navigation, and how it is loaded. The
// build reads the addresses from here too, so this file imports no component.
import type { ComponentType } from 'preact';
import type { IconName } from './components/button.tsx';
import type { PageProps } from './router/location.ts';
import { pageTitles } from './text/components.ts';

/** What people come to the dashboard for, in the order of the navigation. */
export const navGroups = ['operate', 'analyse', 'change', 'administer'] as const;
type NavGroup = (typeof navGroups)[number];

interface Nav {
  group: NavGroup;
  icon: IconName;
  isOnPhoneBar?: boolean;
  /** What the navigation calls it, where its pages have tabs; otherwise its title. */
  name?: string;
  /** The entry whose tabs this page is among; it has none of its own. */
  tabOf?: string;
}
type Load = () => Promise<ComponentType<PageProps>>;

export interface PageRoute {
  path: string;
  title: string;
  /** `config`: who may read what access points shall be. */
  access: 'public' | 'user' | 'config' | 'admin';
  /** Absent: reached from other pages and by the search. */
  nav?: Nav;
  load: Load;
}

type PageRow = Omit<PageRoute, 'access'>;

/** Pages that are for the same people. */
function pagesFor(access: PageRoute['access'], pages: readonly PageRow[]): PageRoute[] {
  return pages.map((page) => ({ ...page, access }));
}

/** A page with a place in the navigation, or without one. */
function page(path: string, title: string, ...rest: [Nav, Load] | [Load]): PageRow {
  return rest.length === 1 ? { path, title, load: rest[0] } : { path, title, nav: rest[0], load: rest[1] };
}

export const routes: readonly PageRoute[] = [
  ...pagesFor('user', [
    page('/', pageTitles.overview, { group: 'operate', icon: 'overview', isOnPhoneBar: true }, () =>
      import('./pages/operations/overview/overview-page.tsx').then((it) => it.OverviewPage),
    ),
    page('/wall', pageTitles.wall, () => import('./pages/operations/wall/wall-page.tsx').then((it) => it.WallPage)),
    page('/map', pageTitles.map, { group: 'operate', icon: 'map', isOnPhoneBar: true }, () =>
      import('./pages/operations/map/map-page.tsx').then((it) => it.MapPage),
    ),
    page('/agents', pageTitles.agents, { group: 'operate', icon: 'agents', isOnPhoneBar: true }, () =>
      import('./pages/operations/agents/list/agents-page.tsx').then((it) => it.AgentsPage),
    ),
    page('/agents/:ap_id', 'Access point', () =>
      import('./pages/operations/agents/agent-page.tsx').then((it) => it.AgentPage),
    ),
    page('/devices', pageTitles.devices, { group: 'operate', icon: 'device' }, () =>
      import('./pages/operations/devices/devices-page.tsx').then((it) => it.DevicesPage),
    ),
    page('/devices/:device', pageTitles.device, () =>
      import('./pages/operations/devices/device-page.tsx').then((it) => it.DevicePage),
    ),
    page('/alarms', pageTitles.alarms, { group: 'operate', icon: 'bell', isOnPhoneBar: true }, () =>
      import('./pages/operations/alarms/alarms-page.tsx').then((it) => it.AlarmsPage),
    ),
    page('/alarms/rules/:id', 'Alarm rule', () =>
      import('./pages/operations/alarms/rule-page.tsx').then((it) => it.RulePage),
    ),
    page('/incidents', pageTitles.incidents, { group: 'analyse', icon: 'warning' }, () =>
      import('./pages/operations/incidents/incidents-page.tsx').then((it) => it.IncidentsPage),
    ),
    page('/incidents/:id', pageTitles.incident, () =>
      import('./pages/operations/incidents/incident-page.tsx').then((it) => it.IncidentPage),
    ),
    page('/compare', pageTitles.compare, { group: 'analyse', icon: 'compare' }, () =>
      import('./pages/operations/compare/compare-page.tsx').then((it) => it.ComparePage),
    ),
    page('/energy', pageTitles.energy, { group: 'analyse', icon: 'energy' }, () =>
      import('./pages/operations/energy/energy-page.tsx').then((it) => it.EnergyPage),
    ),
    page('/events', pageTitles.events, { group: 'analyse', icon: 'events' }, () =>
      import('./pages/operations/events/events-page.tsx').then((it) => it.EventsPage),
    ),
    page('/commands', pageTitles.commands, { group: 'change', icon: 'commands' }, () =>
      import('./pages/operations/commands/commands-page.tsx').then((it) => it.CommandsPage),
    ),
    page('/commands/new', pageTitles.sendCommand, () =>
      import('./pages/operations/commands/send-command-page.tsx').then((it) => it.SendCommandPage),
    ),
    page('/commands/:command_id', pageTitles.command, () =>
      import('./pages/operations/commands/command-page.tsx').then((it) => it.CommandPage),
    ),
  ]),
  ...pagesFor('config', [
    page('/configuration', pageTitles.configuration, { group: 'change', icon: 'layers' }, () =>
      import('./pages/operations/configuration/configuration-page.tsx').then((it) => it.ConfigurationPage),
    ),
    page('/configuration/changes/:id', pageTitles.changeSet, () =>
      import('./pages/operations/configuration/change-page.tsx').then((it) => it.ChangePage),
    ),
    page('/configuration/rollouts/:id', pageTitles.rollout, () =>
      import('./pages/operations/configuration/rollout-page.tsx').then((it) => it.RolloutPage),
    ),
  ]),
  ...pagesFor('user', [
    page('/conflicts', pageTitles.conflicts, { group: 'change', icon: 'conflict' }, () =>
      import('./pages/operations/conflicts/conflicts-page.tsx').then((it) => it.ConflictsPage),
    ),
    page('/emulator', pageTitles.emulator, { group: 'change', icon: 'emulator' }, () =>
      import('./pages/lab/emulator/emulator-page.tsx').then((it) => it.EmulatorPage),
    ),
    page('/emulator/new', pageTitles.newNetwork, () =>
      import('./pages/lab/emulator/new-network-page.tsx').then((it) => it.NewNetworkPage),
    ),
    page('/emulator/:job_number', pageTitles.network, () =>
      import('./pages/lab/emulator/run-page.tsx').then((it) => it.RunPage),
    ),
    page('/sites', pageTitles.sites, { group: 'administer', icon: 'site' }, () =>
      import('./pages/operations/sites/sites-page.tsx').then((it) => it.SitesPage),
    ),
    page('/sites/:path', 'Site', () => import('./pages/operations/sites/site-page.tsx').then((it) => it.SitePage)),
  ]),
  ...pagesFor('admin', [
    page('/users', pageTitles.users, { group: 'administer', icon: 'users', name: 'Accounts' }, () =>
      import('./pages/operations/users/users-page.tsx').then((it) => it.UsersPage),
    ),
    page('/apps', pageTitles.apps, { group: 'administer', icon: 'apps', tabOf: '/users' }, () =>
      import('./pages/operations/apps/apps-page.tsx').then((it) => it.AppsPage),
    ),
    page('/apps/:app_name', 'App', () => import('./pages/operations/apps/app-page.tsx').then((it) => it.AppPage)),
  ]),
  ...pagesFor('user', [
    page('/settings', pageTitles.settings, { group: 'administer', icon: 'settings' }, () =>
      import('./pages/operations/settings/settings-page.tsx').then((it) => it.SettingsPage),
    ),
  ]),
  ...pagesFor('admin', [
    page('/notifications', pageTitles.notifications, { group: 'administer', icon: 'mail', tabOf: '/settings' }, () =>
      import('./pages/operations/notifications/notifications-page.tsx').then((it) => it.NotificationsPage),
    ),
    page('/audit', pageTitles.audit, { group: 'administer', icon: 'audit', tabOf: '/settings' }, () =>
      import('./pages/operations/audit/audit-page.tsx').then((it) => it.AuditPage),
    ),
  ]),
  ...pagesFor('user', [
    page('/jobs', pageTitles.jobs, { group: 'administer', icon: 'jobs', tabOf: '/settings' }, () =>
      import('./pages/operations/jobs/jobs-page.tsx').then((it) => it.JobsPage),
    ),
    page('/jobs/:job_number', pageTitles.job, () =>
      import('./pages/operations/jobs/job-page.tsx').then((it) => it.JobPage),
    ),
  ]),
  ...pagesFor('public', [
    page('/sign-in', 'Sign in', () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.SignInPage),
    ),
    page('/sign-up', pageTitles.signUp, () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.SignUpPage),
    ),
    page('/recover-password', pageTitles.recoverPassword, () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.RecoverPasswordPage),
    ),
    page('/reset-password', pageTitles.resetPassword, () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.ResetPasswordPage),
    ),
  ]),
];
