// Decides what is shown: waiting, the very first form, a page before signing in, or a page in its frame.
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { toFailure } from './api/client.ts';
import { Button, ButtonLink } from './components/button.tsx';
import { EmptyState, FailureNotice, PageSkeleton, Toasts } from './components/feedback.tsx';
import { lazy } from './components/lazy.tsx';
import { Page } from './components/page.tsx';
import { configRights } from './data/use-operation.ts';
import { SessionFrame } from './pages/operations/session/session-frame.tsx';
import { isPageOfOurs, matchRoute, navigate, type PageProps, place } from './router/location.ts';
import { type PageRoute, routes } from './routes.ts';
import { session } from './session/session.ts';
import { safeNextPath, setup, setupFailure } from './session/sign-in.ts';
import { Shell } from './shell/shell.tsx';
import { shellText } from './text/components.ts';

const text = {
  title: 'Page not found',
  managersOnly: {
    title: 'This page is for managers',
    words: 'Ask an administrator for the grant manager on your access points.',
  },
  notAllowed: {
    title: 'This page is for administrators',
    words: 'Ask an administrator to do this for you, or to make you an administrator.',
  },
};

const FirstRunPage = lazy(
  () => import('./pages/operations/session/session-pages.tsx').then((page) => page.FirstRunPage),
  null,
);
const loaded = new Map<PageRoute, ComponentType<PageProps>>();

function pageOf(route: PageRoute): ComponentType<PageProps> {
  let page = loaded.get(route);
  if (!page) {
    const placeholder = route.access === 'public' ? null : <PlaceholderPage title={route.title} />;
    const Frame = route.access === 'public' ? SessionFrame : Page;
    page = lazy(route.load, placeholder, (notice) => <Frame title={route.title}>{notice}</Frame>);
    loaded.set(route, page);
  }
  return page;
}

export function App() {
  const { pathname, search } = place.value;
  const match = useMemo(() => matchRoute(routes, pathname), [pathname]);
  const isPublic = match?.route.access === 'public';
  const isNobody = session.value === undefined;
  const mustSignIn = setup.value?.has_admin === true && isNobody && !isPublic;
  const hasFinished = !isNobody && (pathname === '/sign-in' || pathname === '/sign-up');
  useEffect(() => {
    const wish = pathname + search;
    if (mustSignIn)
      navigate(wish === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wish)}`, { isReplacing: true });
    else if (hasFinished) {
      navigate(safeNextPath(new URLSearchParams(search).get('next'), isPageOfOurs), { isReplacing: true });
    }
  }, [mustSignIn, hasFinished, pathname, search]);

  if (isNobody) {
    if (setup.value === undefined) return setupFailure.value ? <Unreachable /> : null;
    if (setup.value.has_admin === null) return <Waiting />;
    if (setup.value.has_admin === false) return <FirstRunPage />;
    if (!match || !isPublic) return null;
  }
  if (match && isPublic) {
    const PublicPage = pageOf(match.route);
    return (
      <>
        <PublicPage params={match.params} title={match.route.title} />
        <Toasts />
      </>
    );
  }
  return (
    <Shell>
      <Guarded key={pathname}>
        {match ? <PageOrRefusal route={match.route} params={match.params} /> : <NotFound />}
      </Guarded>
    </Shell>
  );
}

function PageOrRefusal({ route, params }: { route: PageRoute; params: Record<string, string> }) {
  const mayRead = configRights().reads;
  if (route.access === 'config' && mayRead === undefined) return <PlaceholderPage title={route.title} />;
  if ((route.access === 'admin' && !session.value?.isAdmin) || (route.access === 'config' && !mayRead)) {
    return (
      <Page title={route.title}>
        <EmptyState {...(route.access === 'config' ? text.managersOnly : text.notAllowed)} />
      </Page>
    );
  }
  const Present = pageOf(route);
  return <Present params={params} title={route.title} />;
}

function PlaceholderPage({ title }: { title: string }) {
  return (
    <Page title={title}>
      <PageSkeleton />
    </Page>
  );
}

function NotFound() {
  return (
    <Page title={text.title}>
      <EmptyState title={text.title} actions={<ButtonLink href="/">Go to the overview</ButtonLink>}>
        Check the address. The page may also have been removed.
      </EmptyState>
    </Page>
  );
}

function Waiting() {
  return (
    <SessionFrame title="Weft is starting">
      {
        <p class="soft">
          Weft is waiting for its database. This page continues automatically. If it takes long, run “weft doctor” to
          find the cause.
        </p>
      }
    </SessionFrame>
  );
}

function Unreachable() {
  return (
    <SessionFrame title={shellText.product}>
      <FailureNotice failure={setupFailure.value!} />
    </SessionFrame>
  );
}

/** A page that fails while it is drawn takes nothing but itself down. */
class Guarded extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown };

  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Page title="This page stopped working">
        <FailureNotice failure={toFailure(error)} />
        <Button onClick={() => this.setState({ error: undefined })}>Reload this page</Button>
      </Page>
    );
  }
}
