// The pages that the person who is signed in finds in the navigation.
import { computed } from '@preact/signals';
import { place } from '../router/location.ts';
import { matchRoute } from '../router/match.ts';
import { type PageRoute, routes } from '../routes.ts';
import { session } from '../session/session.ts';

export type NavRoute = PageRoute & { nav: NonNullable<PageRoute['nav']> };

export const navigation = computed<NavRoute[]>(() =>
  routes.filter(
    (route): route is NavRoute =>
      route.nav !== undefined &&
      (route.access === 'user' || (route.access === 'admin' && session.value?.isAdmin === true)),
  ),
);

/** The entry of the present page: its own, or that of the list it was reached from. */
export const currentNavPath = computed(() => {
  const { pathname } = place.value;
  const match = matchRoute(routes, pathname)?.route;
  if (match?.nav) return match.path;
  return navigation.value.find(({ path }) => path !== '/' && pathname.startsWith(`${path}/`))?.path;
});
