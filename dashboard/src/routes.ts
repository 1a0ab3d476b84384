// Every page of the dashboard: its address, who may see it, where it stands in the navigation, and how it is loaded. The
// build reads the addresses from here too, so this file imports no component.
import type { ComponentType } from 'preact';
import type { IconName } from './components/button.tsx';
import type { PageProps } from './router/location.ts';
import { pageTitles } from './text/components.ts';

type Nav = { icon: IconName; isOnPhoneBar?: boolean };
type Load = () => Promise<ComponentType<PageProps>>;

export interface PageRoute {
  path: string;
  title: string;
  /** `config`: who may read what access points shall be. */
  access: 'public' | 'user' | 'config' | 'admin';
  /** Absent: reached from other pages only. */
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
    page('/', pageTitles.overview, { icon: 'overview', isOnPhoneBar: true }, () =>
      import('./pages/overview/overview-page.tsx').then((it) => it.OverviewPage),
    ),
    page('/map', pageTitles.map, { icon: 'map', isOnPhoneBar: true }, () =>
      import('./pages/map/map-page.tsx').then((it) => it.MapPage),
    ),
    page('/agents', pageTitles.agents, { icon: 'agents', isOnPhoneBar: true }, () =>
      import('./pages/agents/list/agents-page.tsx').then((it) => it.AgentsPage),
    ),
    page('/agents/:ap_id', pageTitles.agent, () => import('./pages/agents/agent-page.tsx').then((it) => it.AgentPage)),
    page('/devices', pageTitles.devices, { icon: 'device' }, () =>
      import('./pages/devices/devices-page.tsx').then((it) => it.DevicesPage),
    ),
    page('/devices/:device', pageTitles.device, () =>
      import('./pages/devices/device-page.tsx').then((it) => it.DevicePage),
    ),
    page('/sites', pageTitles.sites, { icon: 'site' }, () =>
      import('./pages/sites/sites-page.tsx').then((it) => it.SitesPage),
    ),
    page('/alarms', pageTitles.alarms, { icon: 'bell', isOnPhoneBar: true }, () =>
      import('./pages/alarms/alarms-page.tsx').then((it) => it.AlarmsPage),
    ),
    page('/alarms/rules/:id', pageTitles.alarmRule, () =>
      import('./pages/alarms/rule-page.tsx').then((it) => it.RulePage),
    ),
    page('/events', pageTitles.events, { icon: 'events' }, () =>
      import('./pages/events/events-page.tsx').then((it) => it.EventsPage),
    ),
    page('/compare', pageTitles.compare, { icon: 'compare' }, () =>
      import('./pages/compare/compare-page.tsx').then((it) => it.ComparePage),
    ),
    page('/commands', pageTitles.commands, { icon: 'commands' }, () =>
      import('./pages/commands/commands-page.tsx').then((it) => it.CommandsPage),
    ),
    page('/commands/new', pageTitles.sendCommand, () =>
      import('./pages/commands/send-command-page.tsx').then((it) => it.SendCommandPage),
    ),
    page('/commands/:command_id', pageTitles.command, () =>
      import('./pages/commands/command-page.tsx').then((it) => it.CommandPage),
    ),
    page('/emulator', pageTitles.emulator, { icon: 'emulator' }, () =>
      import('./pages/emulator/emulator-page.tsx').then((it) => it.EmulatorPage),
    ),
    page('/emulator/new', pageTitles.newNetwork, () =>
      import('./pages/emulator/new-network-page.tsx').then((it) => it.NewNetworkPage),
    ),
    page('/emulator/:job_number', pageTitles.network, () =>
      import('./pages/emulator/run-page.tsx').then((it) => it.RunPage),
    ),
    page('/jobs', pageTitles.jobs, { icon: 'jobs' }, () =>
      import('./pages/jobs/jobs-page.tsx').then((it) => it.JobsPage),
    ),
    page('/jobs/:job_number', pageTitles.job, () => import('./pages/jobs/job-page.tsx').then((it) => it.JobPage)),
    page('/conflicts', pageTitles.conflicts, { icon: 'conflict' }, () =>
      import('./pages/conflicts/conflicts-page.tsx').then((it) => it.ConflictsPage),
    ),
  ]),
  ...pagesFor('config', [
    page('/configuration', pageTitles.configuration, { icon: 'layers' }, () =>
      import('./pages/configuration/configuration-page.tsx').then((it) => it.ConfigurationPage),
    ),
    page('/configuration/changes/:id', pageTitles.changeSet, () =>
      import('./pages/configuration/change-page.tsx').then((it) => it.ChangePage),
    ),
    page('/configuration/rollouts/:id', pageTitles.rollout, () =>
      import('./pages/configuration/rollout-page.tsx').then((it) => it.RolloutPage),
    ),
  ]),
  ...pagesFor('admin', [
    page('/apps', pageTitles.apps, { icon: 'apps' }, () =>
      import('./pages/apps/apps-page.tsx').then((it) => it.AppsPage),
    ),
    page('/apps/:app_name', pageTitles.app, () => import('./pages/apps/app-page.tsx').then((it) => it.AppPage)),
    page('/users', pageTitles.users, { icon: 'users' }, () =>
      import('./pages/users/users-page.tsx').then((it) => it.UsersPage),
    ),
    page('/notifications', pageTitles.notifications, { icon: 'mail' }, () =>
      import('./pages/notifications/notifications-page.tsx').then((it) => it.NotificationsPage),
    ),
    page('/audit', pageTitles.audit, { icon: 'audit' }, () =>
      import('./pages/audit/audit-page.tsx').then((it) => it.AuditPage),
    ),
  ]),
  ...pagesFor('user', [
    page('/wall', pageTitles.wall, () => import('./pages/wall/wall-page.tsx').then((it) => it.WallPage)),
    page('/settings', pageTitles.settings, { icon: 'settings' }, () =>
      import('./pages/settings/settings-page.tsx').then((it) => it.SettingsPage),
    ),
  ]),
  ...pagesFor('public', [
    page('/sign-in', pageTitles.signIn, () => import('./pages/session/session-pages.tsx').then((it) => it.SignInPage)),
    page('/sign-up', pageTitles.signUp, () => import('./pages/session/session-pages.tsx').then((it) => it.SignUpPage)),
    page('/recover-password', pageTitles.recoverPassword, () =>
      import('./pages/session/session-pages.tsx').then((it) => it.RecoverPasswordPage),
    ),
    page('/reset-password', pageTitles.resetPassword, () =>
      import('./pages/session/session-pages.tsx').then((it) => it.ResetPasswordPage),
    ),
  ]),
];
