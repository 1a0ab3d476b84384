// Above every page: search, how fresh the values are, theme, account.
import { Icon, type IconName } from '../components/icon.tsx';
import { Menu } from '../components/overlays/menu.tsx';
import { WeftMark } from '../components/weft-mark.tsx';
import { session } from '../session/session.ts';
import { signOut } from '../session/sign-out.ts';
import { chooseTheme, type ThemeChoice, themeChoice } from '../styles/theme.ts';
import { shellText } from '../text/shell.ts';
import { AlarmBell } from './alarm-bell.tsx';
import { openPalette } from './command-palette.tsx';
import { LiveDot } from './live-dot.tsx';

const themeIcons: Record<ThemeChoice, IconName> = { system: 'screen', light: 'sun', dark: 'moon' };
const choices = Object.keys(themeIcons) as ThemeChoice[];

export function TopBar() {
  return (
    <header class="top-bar">
      <a class="phone-brand" href="/" aria-label={shellText.product}>
        <WeftMark />
      </a>
      <button type="button" class="search" onClick={openPalette} aria-keyshortcuts="Control+K">
        <Icon name="search" size={16} />
        <span>{shellText.search}</span>
        <kbd>{shellText.searchKeys}</kbd>
      </button>
      <div class="right">
        <LiveDot />
        <AlarmBell />
        <Menu
          label={shellText.theme}
          items={choices.map((choice) => ({
            label: shellText.themes[choice],
            icon: themeIcons[choice],
            isChosen: themeChoice.value === choice,
            onChoose: () => chooseTheme(choice),
          }))}
        >
          <Icon name={themeIcons[themeChoice.value]} />
        </Menu>
        <Menu
          label={shellText.account}
          header={<AccountHeader />}
          items={[
            { label: shellText.apiDocumentation, icon: 'audit', onChoose: () => location.assign('/docs') },
            { label: shellText.signOut, icon: 'sign-out', onChoose: signOut },
          ]}
        >
          <Icon name="person" />
        </Menu>
      </div>
    </header>
  );
}

function AccountHeader() {
  const { username = '', isAdmin = false } = session.value ?? {};
  return (
    <>
      <div class="faint small">{shellText.signedInAs}</div>
      <div>{username}</div>
      <div class="faint small">{isAdmin ? shellText.administrator : shellText.user}</div>
    </>
  );
}
