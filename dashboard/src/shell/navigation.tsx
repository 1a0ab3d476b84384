// The pages that the person who is signed in finds: at the left edge, with names or as icons only, or at the foot of a small screen,
// the most used ones, with the rest behind “More”.
import { computed, signal } from '@preact/signals';
import { Icon, WeftMark } from '../components/button.tsx';
import { Menu } from '../components/menu.tsx';
import { keep, readKept } from '../data/kept.ts';
import { configRights } from '../data/use-operation.ts';
import { matchRoute, navigate, place } from '../router/location.ts';
import { type PageRoute, routes } from '../routes.ts';
import { session } from '../session/session.ts';
import { shellText } from '../text/shell.ts';

export type NavRoute = PageRoute & { nav: NonNullable<PageRoute['nav']> };

export const navigation = computed<NavRoute[]>(() =>
  routes.filter(
    (route): route is NavRoute =>
      route.nav !== undefined &&
      (route.access === 'user' ||
        (route.access === 'config' && configRights().reads === true) ||
        (route.access === 'admin' && session.value?.isAdmin === true)),
  ),
);

/** The entry of the present page: its own, or that of the list it was reached from. */
export const currentNavPath = computed(() => {
  const { pathname } = place.value;
  const match = matchRoute(routes, pathname)?.route;
  if (match?.nav) return match.path;
  return navigation.value.find(({ path }) => path !== '/' && pathname.startsWith(`${path}/`))?.path;
});

const storageKey = 'weft.rail';
export const isRailNarrow = signal(readKept('browser', storageKey) === 'narrow');

function toggle(): void {
  isRailNarrow.value = !isRailNarrow.value;
  keep('browser', storageKey, isRailNarrow.value ? 'narrow' : 'wide');
}

export function Rail() {
  const isNarrow = isRailNarrow.value;
  const toggleName = isNarrow ? shellText.expand : shellText.collapse;
  return (
    <nav class="rail" aria-label={shellText.navigation}>
      <a class="brand" href="/" aria-label={shellText.product}>
        <WeftMark />
        <span class="rail-name">{shellText.product}</span>
      </a>
      {navigation.value.map(({ path, title, nav }) => (
        <a
          key={path}
          class="rail-link"
          href={path}
          aria-current={currentNavPath.value === path ? 'page' : undefined}
          aria-label={title}
          title={isNarrow ? title : undefined}
        >
          <Icon name={nav.icon} />
          <span class="rail-name">{title}</span>
        </a>
      ))}
      <span class="fill" />
      <button type="button" class="rail-link" onClick={toggle} aria-label={toggleName} title={toggleName}>
        <Icon name={isNarrow ? 'chevron-right' : 'chevron-left'} />
        <span class="rail-name">{toggleName}</span>
      </button>
    </nav>
  );
}

export function PhoneBar() {
  const onBar = navigation.value.filter(({ nav }) => nav.isOnPhoneBar);
  const others = navigation.value.filter(({ nav }) => !nav.isOnPhoneBar);
  return (
    <nav class="phone-bar" aria-label={shellText.navigation}>
      {onBar.map(({ path, title, nav }) => (
        <a key={path} href={path} aria-current={currentNavPath.value === path ? 'page' : undefined}>
          <Icon name={nav.icon} size={20} />
          {title}
        </a>
      ))}
      {others.length > 0 && (
        <div class={`phone-more ${others.some(({ path }) => path === currentNavPath.value) ? 'is-current' : ''}`}>
          <Menu
            label={shellText.more}
            isUp
            items={others.map(({ path, title, nav }) => ({
              label: title,
              icon: nav.icon,
              onChoose: () => navigate(path),
            }))}
          >
            <Icon name="more" size={20} />
            {shellText.more}
          </Menu>
        </div>
      )}
    </nav>
  );
}
