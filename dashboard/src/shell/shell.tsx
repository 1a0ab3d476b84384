// The frame around the pages: rail, top bar (search, how fresh the values are, alarms that nobody has acknowledged yet, theme,
// account), page. Under 720 px the rail becomes a bar at the foot.
import './shell.css';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button, Icon, type IconName, WeftMark } from '../components/button.tsx';
import { ConfirmDialog, Dialog } from '../components/dialog.tsx';
import { Toasts } from '../components/feedback.tsx';
import { Menu } from '../components/menu.tsx';
import { Facts } from '../components/page.tsx';
import { awaySince, freshness, isQuiet, isUnreachable } from '../data/freshness.ts';
import { queries, useGrants, useOperation } from '../data/use-operation.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { heldBack, leave, stay } from '../router/leaving.ts';
import { place } from '../router/location.ts';
import { session } from '../session/session.ts';
import { signOut } from '../session/sign-in.ts';
import { ExpiredDialog } from '../session/sign-in-form.tsx';
import { chooseTheme, type ThemeChoice, themeChoice } from '../styles/theme.ts';
import { failureText, shellText } from '../text/components.ts';
import { CommandPalette, openPalette } from './command-palette.tsx';
import { isRailNarrow, PhoneBar, Rail, SectionTabs } from './navigation.tsx';

const text = {
  rows: [
    ['Ctrl K', 'Search access points, pages and actions'],
    ['?', 'Show these keys'],
    ['↑ ↓', 'Move in a list'],
    ['Enter', 'Open what is chosen'],
    ['X', 'Choose a row'],
    ['A', 'Acknowledge an alarm'],
    ['S', 'Shelve an alarm'],
    ['Esc', 'Close a dialog or menu'],
  ] as [keys: string, does: string][],
  states: { live: 'Live', polling: 'Polling', unknown: 'Connecting' },
  explain: {
    live: 'Values arrive as they are measured.',
    polling: 'The live stream is not available. Values are requested every second.',
    unknown: 'No data received yet.',
    old: 'Weft does not answer. These are the last known values.',
  },
};

const maxCounted = 100;

export function AlarmBell() {
  const query = { state: 'firing', shelved: false, caused: false, limit: maxCounted };
  const { data } = useOperation('list_alarms', { query }, { pollMs: 10_000 });
  // What somebody has put aside, or what follows from another alarm, calls for nobody.
  const calling = data?.items.filter(({ silenced_by }) => silenced_by === null) ?? [];
  const count = `${formatNumber(calling.length)}${data?.next ? '+' : ''}`;
  const isBad = calling.some(({ severity }) => severity === 'critical' || severity === 'major');
  const label =
    calling.length === 0
      ? 'No alarm waits to be acknowledged'
      : `${count} alarm${count === '1' ? '' : 's'} not acknowledged`;
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
  return (
    <span class={`live-dot ${state}`} title={text.explain[state]} role="status">
      <i aria-hidden="true" />
      {state === 'old' ? (
        <span>
          {`As of ${formatMoment(awaySince.value ?? 0)}`}
          <span class="live-more">, not connected</span>
        </span>
      ) : (
        text.states[state]
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
        <span>Search access points, pages, actions</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div class="right">
        <LiveDot />
        <AlarmBell />
        <Menu
          label="Theme"
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
          label="Your account"
          header={<AccountHeader />}
          items={[
            { label: 'Manual', icon: 'audit', onChoose: () => location.assign('/manual') },
            { label: 'API documentation', icon: 'audit', onChoose: () => location.assign('/docs') },
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
      <div class="faint small">Signed in as</div>
      <div>{username}</div>
      <div class="faint small">{isAdmin ? shellText.administrator : shellText.user}</div>
    </>
  );
}

export function LeaveDialog() {
  if (!heldBack.value) return null;
  return (
    <ConfirmDialog
      title="Discard unsaved changes?"
      action="Discard changes"
      onClose={stay}
      onConfirm={async () => leave()}
      words="Your changes on this page are not saved. Cancel to stay and save them."
    />
  );
}

/** Over the page, so that nothing in it moves. */
function AwayBar() {
  if (!isUnreachable.value) return null;
  const since = awaySince.value;
  return (
    <div class="away-bar" role="alert">
      <Icon name="warning" />
      <span>
        <strong>{failureText.unreachable}</strong>{' '}
        {since !== undefined &&
          `The page shows what was known at ${formatMoment(since)}. Weft is asked again every few seconds.`}
      </span>
      <Button size="small" onClick={() => queries.refresh()} words={failureText.again} />
    </div>
  );
}

const areKeysShown = signal(false);

function KeysDialog() {
  if (!areKeysShown.value) return null;
  return (
    <Dialog title="Keys" onClose={() => (areKeysShown.value = false)}>
      <Facts rows={text.rows.map(([keys, does]) => [does, <kbd key={keys}>{keys}</kbd>])} />
    </Dialog>
  );
}

/** The list of a page is where most come for; where there is none, the page itself. */
function toList(): void {
  const main = document.querySelector<HTMLElement>('main')!;
  (main.querySelector<HTMLElement>('[role="grid"], .alarm[tabindex="0"], ol[tabindex="0"]') ?? main).focus();
}

export function Shell({ children }: { children: ComponentChildren }) {
  useGrants();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
      }
      const isTyping = (event.target as Element).matches?.('input, select, textarea, dialog *');
      if (event.key === '?' && !isTyping) areKeysShown.value = true;
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div class={`shell ${isRailNarrow.value ? 'is-narrow' : ''} ${place.value.pathname === '/wall' ? 'is-wall' : ''}`}>
      <a class="skip" href="#page">
        Skip to content
      </a>
      <button type="button" class="skip" onClick={toList}>
        Skip to the list
      </button>
      <Rail />
      <TopBar />
      <AwayBar />
      <main class="shell-main" id="page" tabIndex={-1}>
        <SectionTabs />
        {children}
      </main>
      <PhoneBar />
      <Toasts />
      <CommandPalette />
      <KeysDialog />
      <LeaveDialog />
      <ExpiredDialog />
    </div>
  );
}
