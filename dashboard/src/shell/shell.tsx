// The frame around the pages: rail, top bar (search, how fresh the values are, alarms that nobody has acknowledged yet, theme,
// account), page. Under 720 px the rail becomes a bar at the foot.
import './shell.css';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon, type IconName, WeftMark } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { Toasts } from '../components/feedback.tsx';
import { Menu } from '../components/menu.tsx';
import { awaySince, freshness, isQuiet } from '../data/freshness.ts';
import { useOperation } from '../data/use-operation.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { heldBack, leave, stay } from '../router/leaving.ts';
import { place } from '../router/location.ts';
import { session } from '../session/session.ts';
import { signOut } from '../session/sign-in.ts';
import { ExpiredDialog } from '../session/sign-in-form.tsx';
import { chooseTheme, type ThemeChoice, themeChoice } from '../styles/theme.ts';
import { alarmsText } from '../text/alarms.ts';
import { shellText } from '../text/shell.ts';
import { CommandPalette, openPalette } from './command-palette.tsx';
import { isRailNarrow, PhoneBar, Rail } from './navigation.tsx';

const maxCounted = 100;

export function AlarmBell() {
  const query = { state: 'firing', shelved: false, caused: false, limit: maxCounted };
  const { data } = useOperation('list_alarms', { query }, { pollMs: 10_000 });
  // What somebody has put aside, or what follows from another alarm, calls for nobody.
  const calling = data?.items.filter(({ silenced_by }) => silenced_by === null) ?? [];
  const count = `${formatNumber(calling.length)}${data?.next ? '+' : ''}`;
  const isBad = calling.some(({ severity }) => severity === 'critical' || severity === 'major');
  const label = calling.length === 0 ? alarmsText.noBell : alarmsText.bell(count);
  return (
    <a class={`alarm-bell ${isBad ? 'is-bad' : ''}`} href="/alarms" aria-label={label} title={label}>
      <Icon name="bell" />
      {calling.length > 0 && <span aria-hidden="true">{count}</span>}
    </a>
  );
}

export function LiveDot() {
  useOperation('get_me', {}, { isWanted: isQuiet.value });
  const state = freshness.value;
  const text = shellText.freshness;
  return (
    <span class={`live-dot ${state}`} title={text.explain[state]} role="status">
      <i aria-hidden="true" />
      {state === 'old' ? (
        <span>
          {text.asOf(formatMoment(awaySince.value ?? 0))}
          <span class="live-more">{text.notConnected}</span>
        </span>
      ) : (
        text[state]
      )}
    </span>
  );
}

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

export function LeaveDialog() {
  if (!heldBack.value) return null;
  const text = shellText.leaving;
  return (
    <ConfirmDialog
      title={text.title}
      action={text.discard}
      onClose={stay}
      onConfirm={async () => leave()}
      words={text.words}
    />
  );
}

export function Shell({ children }: { children: ComponentChildren }) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div class={`shell ${isRailNarrow.value ? 'is-narrow' : ''} ${place.value.pathname === '/wall' ? 'is-wall' : ''}`}>
      <a class="skip" href="#page">
        {shellText.skip}
      </a>
      <Rail />
      <TopBar />
      <main class="shell-main" id="page" tabIndex={-1}>
        {children}
      </main>
      <PhoneBar />
      <Toasts />
      <CommandPalette />
      <LeaveDialog />
      <ExpiredDialog />
    </div>
  );
}
