// Every page of the dashboard: its address, who may see it, where it stands in the navigation, and how it is loaded. The
// build reads the addresses from here too, so this file imports no component.
import type { ComponentType } from 'preact';
import type { IconName } from './components/icon.tsx';
import { pageTitles } from './text/pages.ts';

export interface PageProps {
  /** What stands for the names in the path, decoded. */
  params: Record<string, string>;
}

export interface PageRoute {
  path: string;
  title: string;
  access: 'public' | 'user' | 'admin';
  /** Absent: reached from other pages only. */
  nav?: { icon: IconName; isOnPhoneBar?: boolean };
  load: () => Promise<ComponentType<PageProps>>;
}

export const routes: readonly PageRoute[] = [
  {
    path: '/',
    title: pageTitles.overview,
    access: 'user',
    nav: { icon: 'overview', isOnPhoneBar: true },
    load: () => import('./pages/overview/overview-page.tsx').then((page) => page.OverviewPage),
  },
  {
    path: '/agents',
    title: pageTitles.agents,
    access: 'user',
    nav: { icon: 'agents', isOnPhoneBar: true },
    load: () => import('./pages/agents/agents-page.tsx').then((page) => page.AgentsPage),
  },
  {
    path: '/agents/:ap_id',
    title: pageTitles.agent,
    access: 'user',
    load: () => import('./pages/agents/agent-page.tsx').then((page) => page.AgentPage),
  },
  {
    path: '/sign-in',
    title: pageTitles.signIn,
    access: 'public',
    load: () => import('./pages/session/sign-in-page.tsx').then((page) => page.SignInPage),
  },
  {
    path: '/sign-up',
    title: pageTitles.signUp,
    access: 'public',
    load: () => import('./pages/session/sign-up-page.tsx').then((page) => page.SignUpPage),
  },
  {
    path: '/recover-password',
    title: pageTitles.recoverPassword,
    access: 'public',
    load: () => import('./pages/session/recover-password-page.tsx').then((page) => page.RecoverPasswordPage),
  },
  {
    path: '/reset-password',
    title: pageTitles.resetPassword,
    access: 'public',
    load: () => import('./pages/session/reset-password-page.tsx').then((page) => page.ResetPasswordPage),
  },
];
