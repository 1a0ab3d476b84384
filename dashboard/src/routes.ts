// Every page of the dashboard: its address, who may see it, where it stands in the navigation, and how it is loaded. The
// build reads the addresses from here too, so this file imports no component.
import type { ComponentType } from 'preact';
import type { IconName } from './components/button.tsx';
import type { PageProps } from './router/location.ts';

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
    page('/', 'Overview', { group: 'operate', icon: 'overview', isOnPhoneBar: true }, () =>
      import('./pages/operations/overview/overview-page.tsx').then((it) => it.OverviewPage),
    ),
    page('/wall', 'Wall display', () => import('./pages/operations/wall/wall-page.tsx').then((it) => it.WallPage)),
    page('/map', 'Map', { group: 'operate', icon: 'map', isOnPhoneBar: true }, () =>
      import('./pages/operations/map/map-page.tsx').then((it) => it.MapPage),
    ),
    page('/agents', 'Access points', { group: 'operate', icon: 'agents', isOnPhoneBar: true }, () =>
      import('./pages/operations/agents/list/agents-page.tsx').then((it) => it.AgentsPage),
    ),
    page('/agents/:ap_id', 'Access point', () =>
      import('./pages/operations/agents/agent-page.tsx').then((it) => it.AgentPage),
    ),
    page('/devices', 'Devices', { group: 'operate', icon: 'device' }, () =>
      import('./pages/operations/devices/devices-page.tsx').then((it) => it.DevicesPage),
    ),
    page('/devices/:device', 'Device', () =>
      import('./pages/operations/devices/device-page.tsx').then((it) => it.DevicePage),
    ),
    page('/alarms', 'Alarms', { group: 'operate', icon: 'bell', isOnPhoneBar: true }, () =>
      import('./pages/operations/alarms/alarms-page.tsx').then((it) => it.AlarmsPage),
    ),
    page('/alarms/rules/:id', 'Alarm rule', () =>
      import('./pages/operations/alarms/rule-page.tsx').then((it) => it.RulePage),
    ),
    page('/incidents', 'Incidents', { group: 'analyse', icon: 'warning' }, () =>
      import('./pages/operations/incidents/incidents-page.tsx').then((it) => it.IncidentsPage),
    ),
    page('/incidents/:id', 'Incident', () =>
      import('./pages/operations/incidents/incident-page.tsx').then((it) => it.IncidentPage),
    ),
    page('/compare', 'Compare', { group: 'analyse', icon: 'compare' }, () =>
      import('./pages/operations/compare/compare-page.tsx').then((it) => it.ComparePage),
    ),
    page('/energy', 'Energy', { group: 'analyse', icon: 'energy' }, () =>
      import('./pages/operations/energy/energy-page.tsx').then((it) => it.EnergyPage),
    ),
    page('/events', 'Events', { group: 'analyse', icon: 'events' }, () =>
      import('./pages/operations/events/events-page.tsx').then((it) => it.EventsPage),
    ),
    page('/commands', 'Commands', { group: 'change', icon: 'commands' }, () =>
      import('./pages/operations/commands/commands-page.tsx').then((it) => it.CommandsPage),
    ),
    page('/commands/new', 'Send a command', () =>
      import('./pages/operations/commands/send-command-page.tsx').then((it) => it.SendCommandPage),
    ),
    page('/commands/:command_id', 'Command', () =>
      import('./pages/operations/commands/command-page.tsx').then((it) => it.CommandPage),
    ),
  ]),
  ...pagesFor('config', [
    page('/configuration', 'Configuration', { group: 'change', icon: 'layers' }, () =>
      import('./pages/operations/configuration/configuration-page.tsx').then((it) => it.ConfigurationPage),
    ),
    page('/configuration/changes/:id', 'Change set', () =>
      import('./pages/operations/configuration/change-page.tsx').then((it) => it.ChangePage),
    ),
    page('/configuration/rollouts/:id', 'Roll-out', () =>
      import('./pages/operations/configuration/rollout-page.tsx').then((it) => it.RolloutPage),
    ),
  ]),
  ...pagesFor('user', [
    page('/conflicts', 'Conflicts', { group: 'change', icon: 'conflict' }, () =>
      import('./pages/operations/conflicts/conflicts-page.tsx').then((it) => it.ConflictsPage),
    ),
    page('/emulator', 'Emulator', { group: 'change', icon: 'emulator' }, () =>
      import('./pages/lab/emulator/emulator-page.tsx').then((it) => it.EmulatorPage),
    ),
    page('/emulator/new', 'New network', () =>
      import('./pages/lab/emulator/new-network-page.tsx').then((it) => it.NewNetworkPage),
    ),
    page('/emulator/:job_number', 'Emulated network', () =>
      import('./pages/lab/emulator/run-page.tsx').then((it) => it.RunPage),
    ),
    page('/sites', 'Sites', { group: 'administer', icon: 'site' }, () =>
      import('./pages/operations/sites/sites-page.tsx').then((it) => it.SitesPage),
    ),
    page('/sites/:path', 'Site', () => import('./pages/operations/sites/site-page.tsx').then((it) => it.SitePage)),
  ]),
  ...pagesFor('admin', [
    page('/users', 'Users', { group: 'administer', icon: 'users', name: 'Accounts' }, () =>
      import('./pages/operations/users/users-page.tsx').then((it) => it.UsersPage),
    ),
    page('/apps', 'Apps', { group: 'administer', icon: 'apps', tabOf: '/users' }, () =>
      import('./pages/operations/apps/apps-page.tsx').then((it) => it.AppsPage),
    ),
    page('/apps/:app_name', 'App', () => import('./pages/operations/apps/app-page.tsx').then((it) => it.AppPage)),
  ]),
  ...pagesFor('user', [
    page('/settings', 'Settings', { group: 'administer', icon: 'settings' }, () =>
      import('./pages/operations/settings/settings-page.tsx').then((it) => it.SettingsPage),
    ),
  ]),
  ...pagesFor('admin', [
    page('/notifications', 'Notifications', { group: 'administer', icon: 'mail', tabOf: '/settings' }, () =>
      import('./pages/operations/notifications/notifications-page.tsx').then((it) => it.NotificationsPage),
    ),
    page('/audit', 'Audit log', { group: 'administer', icon: 'audit', tabOf: '/settings' }, () =>
      import('./pages/operations/audit/audit-page.tsx').then((it) => it.AuditPage),
    ),
  ]),
  ...pagesFor('user', [
    page('/jobs', 'Jobs', { group: 'administer', icon: 'jobs', tabOf: '/settings' }, () =>
      import('./pages/operations/jobs/jobs-page.tsx').then((it) => it.JobsPage),
    ),
    page('/jobs/:job_number', 'Job', () => import('./pages/operations/jobs/job-page.tsx').then((it) => it.JobPage)),
  ]),
  ...pagesFor('public', [
    page('/sign-in', 'Sign in', () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.SignInPage),
    ),
    page('/sign-up', 'Create an account', () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.SignUpPage),
    ),
    page('/recover-password', 'Forgot your password?', () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.RecoverPasswordPage),
    ),
    page('/reset-password', 'Choose a new password', () =>
      import('./pages/operations/session/session-pages.tsx').then((it) => it.ResetPasswordPage),
    ),
  ]),
];
