// The most used pages at the foot of a small screen, and the rest behind “More”.
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/overlays/menu.tsx';
import { navigate } from '../router/location.ts';
import { shellText } from '../text/shell.ts';
import { currentNavPath, navigation } from './navigation.ts';

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
