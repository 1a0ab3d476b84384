// The pages that the person who is signed in finds: at the left edge in groups, with names or as icons only, or at the foot of a small
// screen, the most used ones, with the rest behind “More”. Pages that are of one kind share an entry and have tabs.
import { computed, signal } from '@preact/signals';
import { Icon, WeftMark } from '../components/button.tsx';
import { Menu } from '../components/menu.tsx';
import { keep, readKept } from '../data/kept.ts';
import { configRights } from '../data/use-operation.ts';
import { matchRoute, navigate, place } from '../router/location.ts';
import { navGroups, type PageRoute, routes } from '../routes.ts';
import { session } from '../session/session.ts';
import { shellText } from '../text/components.ts';

const text = {
  navigation: 'Pages',
  groups: { operate: 'Operate', analyse: 'Analyse', change: 'Change', administer: 'Administer' },
  /** Where a tab is called otherwise than its page. */
  tabs: { '/settings': 'General' } as Record<string, string>,
  more: 'More',
};

type NavRoute = PageRoute & { nav: NonNullable<PageRoute['nav']> };

/** Every page that has an address of its own and is for this person; the search finds them all. */
export const reachable = computed<PageRoute[]>(() =>
  routes.filter(
    ({ access, path }) =>
      !path.includes(':') &&
      (access === 'user' ||
        (access === 'config' && configRights().reads === true) ||
        (access === 'admin' && session.value?.isAdmin === true)),
  ),
);

const listed = computed(() => reachable.value.filter((route): route is NavRoute => route.nav !== undefined));
const entries = computed(() => listed.value.filter(({ nav }) => nav.tabOf === undefined));

/** The page, or the list it was reached from. */
const current = computed(() => {
  const { pathname } = place.value;
  const match = matchRoute(routes, pathname)?.route;
  return (
    listed.value.find(({ path }) => path === match?.path) ??
    listed.value.find(({ path }) => path !== '/' && pathname.startsWith(`${path}/`))
  );
});
const currentEntry = computed(() => current.value?.nav.tabOf ?? current.value?.path);

function nameOf({ title, nav }: NavRoute): string {
  return nav.name ?? title;
}

/** The pages that share an entry of the navigation, above each of them. */
export function SectionTabs() {
  const tabs = listed.value.filter(({ path, nav }) => (nav.tabOf ?? path) === currentEntry.value);
  if (tabs.length < 2 || current.value?.path !== place.value.pathname) return null;
  return (
    <nav class="section-tabs view-links" aria-label="Pages of this kind">
      {tabs.map(({ path, title }) => (
        <a key={path} href={path} aria-current={current.value?.path === path ? 'page' : undefined}>
          {text.tabs[path] ?? title}
        </a>
      ))}
    </nav>
  );
}

const storageKey = 'weft.rail';
export const isRailNarrow = signal(readKept('browser', storageKey) === 'narrow');

function toggle(): void {
  isRailNarrow.value = !isRailNarrow.value;
  keep('browser', storageKey, isRailNarrow.value ? 'narrow' : 'wide');
}

export function Rail() {
  const isNarrow = isRailNarrow.value;
  const toggleName = isNarrow ? 'Expand menu' : 'Collapse menu';
  return (
    <nav class="rail" aria-label={text.navigation}>
      <a class="brand" href="/" aria-label={shellText.product}>
        <WeftMark />
        <span class="rail-name">{shellText.product}</span>
      </a>
      {navGroups.flatMap((group) => [
        <span key={group} class="rail-group">
          {text.groups[group]}
        </span>,
        ...entries.value
          .filter(({ nav }) => nav.group === group)
          .map((entry) => <RailLink key={entry.path} {...entry} />),
      ])}
      <span class="fill" />
      <button type="button" class="rail-link" onClick={toggle} aria-label={toggleName} title={toggleName}>
        <Icon name={isNarrow ? 'chevron-right' : 'chevron-left'} />
        <span class="rail-name">{toggleName}</span>
      </button>
    </nav>
  );
}

function RailLink(entry: NavRoute) {
  const { path, nav } = entry;
  const name = nameOf(entry);
  return (
    <a
      class="rail-link"
      href={path}
      aria-current={currentEntry.value === path ? 'page' : undefined}
      aria-label={name}
      title={isRailNarrow.value ? name : undefined}
    >
      <Icon name={nav.icon} />
      <span class="rail-name">{name}</span>
    </a>
  );
}

export function PhoneBar() {
  const onBar = entries.value.filter(({ nav }) => nav.isOnPhoneBar);
  const others = entries.value.filter(({ nav }) => !nav.isOnPhoneBar);
  return (
    <nav class="phone-bar" aria-label={text.navigation}>
      {onBar.map(({ path, title, nav }) => (
        <a key={path} href={path} aria-current={currentEntry.value === path ? 'page' : undefined}>
          <Icon name={nav.icon} size={20} />
          {title}
        </a>
      ))}
      {others.length > 0 && (
        <div class={`phone-more ${others.some(({ path }) => path === currentEntry.value) ? 'is-current' : ''}`}>
          <Menu
            label={text.more}
            isUp
            items={others.map((entry) => ({
              label: nameOf(entry),
              icon: entry.nav.icon,
              onChoose: () => navigate(entry.path),
            }))}
          >
            <Icon name="more" size={20} />
            {text.more}
          </Menu>
        </div>
      )}
    </nav>
  );
}
