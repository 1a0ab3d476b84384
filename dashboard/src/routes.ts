// Every page of the dashboard: its address, who may see it, where it stands in the navigation, and how it is loaded. The
// build reads the addresses from here too, so this file imports no component.
import type { ComponentType } from 'preact';
import type { IconName } from './components/button.tsx';
import type { PageProps } from './router/location.ts';
import { pageTitles } from './text/components.ts';

export interface PageRoute {
  path: string;
  title: string;
  access: 'public' | 'user' | 'admin';
  /** Absent: reached from other pages only. */
  nav?: { icon: IconName; isOnPhoneBar?: boolean };
  load: () => Promise<ComponentType<PageProps>>;
}

/** Pages that are for the same people. */
function pagesFor(access: PageRoute['access'], pages: readonly Omit<PageRoute, 'access'>[]): PageRoute[] {
  return pages.map((page) => ({ ...page, access }));
}

export const routes: readonly PageRoute[] = [
  ...pagesFor('user', [
    {
      path: '/',
      title: pageTitles.overview,
      nav: { icon: 'overview', isOnPhoneBar: true },
      load: () => import('./pages/overview/overview-page.tsx').then((page) => page.OverviewPage),
    },
    {
      path: '/map',
      title: pageTitles.map,
      nav: { icon: 'map', isOnPhoneBar: true },
      load: () => import('./pages/map/map-page.tsx').then((page) => page.MapPage),
    },
    {
      path: '/agents',
      title: pageTitles.agents,
      nav: { icon: 'agents', isOnPhoneBar: true },
      load: () => import('./pages/agents/list/agents-page.tsx').then((page) => page.AgentsPage),
    },
    {
      path: '/agents/:ap_id',
      title: pageTitles.agent,
      load: () => import('./pages/agents/agent-page.tsx').then((page) => page.AgentPage),
    },
    {
      path: '/devices',
      title: pageTitles.devices,
      nav: { icon: 'device' },
      load: () => import('./pages/devices/devices-page.tsx').then((page) => page.DevicesPage),
    },
    {
      path: '/devices/:device',
      title: pageTitles.device,
      load: () => import('./pages/devices/device-page.tsx').then((page) => page.DevicePage),
    },
    {
      path: '/sites',
      title: pageTitles.sites,
      nav: { icon: 'site' },
      load: () => import('./pages/sites/sites-page.tsx').then((page) => page.SitesPage),
    },
    {
      path: '/alarms',
      title: pageTitles.alarms,
      nav: { icon: 'bell', isOnPhoneBar: true },
      load: () => import('./pages/alarms/alarms-page.tsx').then((page) => page.AlarmsPage),
    },
    {
      path: '/alarms/rules/:id',
      title: pageTitles.alarmRule,
      load: () => import('./pages/alarms/rule-page.tsx').then((page) => page.RulePage),
    },
    {
      path: '/events',
      title: pageTitles.events,
      nav: { icon: 'events' },
      load: () => import('./pages/events/events-page.tsx').then((page) => page.EventsPage),
    },
    {
      path: '/compare',
      title: pageTitles.compare,
      nav: { icon: 'compare' },
      load: () => import('./pages/compare/compare-page.tsx').then((page) => page.ComparePage),
    },
    {
      path: '/commands',
      title: pageTitles.commands,
      nav: { icon: 'commands' },
      load: () => import('./pages/commands/commands-page.tsx').then((page) => page.CommandsPage),
    },
    {
      path: '/commands/new',
      title: pageTitles.sendCommand,
      load: () => import('./pages/commands/send-command-page.tsx').then((page) => page.SendCommandPage),
    },
    {
      path: '/commands/:command_id',
      title: pageTitles.command,
      load: () => import('./pages/commands/command-page.tsx').then((page) => page.CommandPage),
    },
    {
      path: '/emulator',
      title: pageTitles.emulator,
      nav: { icon: 'emulator' },
      load: () => import('./pages/emulator/emulator-page.tsx').then((page) => page.EmulatorPage),
    },
    {
      path: '/emulator/new',
      title: pageTitles.newNetwork,
      load: () => import('./pages/emulator/new-network-page.tsx').then((page) => page.NewNetworkPage),
    },
    {
      path: '/emulator/:job_number',
      title: pageTitles.network,
      load: () => import('./pages/emulator/run-page.tsx').then((page) => page.RunPage),
    },
    {
      path: '/jobs',
      title: pageTitles.jobs,
      nav: { icon: 'jobs' },
      load: () => import('./pages/jobs/jobs-page.tsx').then((page) => page.JobsPage),
    },
    {
      path: '/jobs/:job_number',
      title: pageTitles.job,
      load: () => import('./pages/jobs/job-page.tsx').then((page) => page.JobPage),
    },
    {
      path: '/conflicts',
      title: pageTitles.conflicts,
      nav: { icon: 'conflict' },
      load: () => import('./pages/conflicts/conflicts-page.tsx').then((page) => page.ConflictsPage),
    },
  ]),
  ...pagesFor('admin', [
    {
      path: '/apps',
      title: pageTitles.apps,
      nav: { icon: 'apps' },
      load: () => import('./pages/apps/apps-page.tsx').then((page) => page.AppsPage),
    },
    {
      path: '/apps/:app_name',
      title: pageTitles.app,
      load: () => import('./pages/apps/app-page.tsx').then((page) => page.AppPage),
    },
    {
      path: '/users',
      title: pageTitles.users,
      nav: { icon: 'users' },
      load: () => import('./pages/users/users-page.tsx').then((page) => page.UsersPage),
    },
    {
      path: '/notifications',
      title: pageTitles.notifications,
      nav: { icon: 'mail' },
      load: () => import('./pages/notifications/notifications-page.tsx').then((page) => page.NotificationsPage),
    },
    {
      path: '/audit',
      title: pageTitles.audit,
      nav: { icon: 'audit' },
      load: () => import('./pages/audit/audit-page.tsx').then((page) => page.AuditPage),
    },
  ]),
  ...pagesFor('user', [
    {
      path: '/wall',
      title: pageTitles.wall,
      load: () => import('./pages/wall/wall-page.tsx').then((page) => page.WallPage),
    },
    {
      path: '/settings',
      title: pageTitles.settings,
      nav: { icon: 'settings' },
      load: () => import('./pages/settings/settings-page.tsx').then((page) => page.SettingsPage),
    },
  ]),
  ...pagesFor('public', [
    {
      path: '/sign-in',
      title: pageTitles.signIn,
      load: () => import('./pages/session/session-pages.tsx').then((page) => page.SignInPage),
    },
    {
      path: '/sign-up',
      title: pageTitles.signUp,
      load: () => import('./pages/session/session-pages.tsx').then((page) => page.SignUpPage),
    },
    {
      path: '/recover-password',
      title: pageTitles.recoverPassword,
      load: () => import('./pages/session/session-pages.tsx').then((page) => page.RecoverPasswordPage),
    },
    {
      path: '/reset-password',
      title: pageTitles.resetPassword,
      load: () => import('./pages/session/session-pages.tsx').then((page) => page.ResetPasswordPage),
    },
  ]),
];
