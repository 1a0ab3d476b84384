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
import { alarmsText } from '../text/alarms.ts';
import { failureText } from '../text/failures.ts';
import { shellText } from '../text/shell.ts';
import { CommandPalette, openPalette } from './command-palette.tsx';
import { isRailNarrow, PhoneBar, Rail, SectionTabs } from './navigation.tsx';

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
            { label: shellText.manual, icon: 'audit', onChoose: () => location.assign('/manual') },
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

/** Over the page, so that nothing in it moves. */
function AwayBar() {
  if (!isUnreachable.value) return null;
  const since = awaySince.value;
  return (
    <div class="away-bar" role="alert">
      <Icon name="warning" />
      <span>
        <strong>{failureText.unreachable}</strong> {since !== undefined && shellText.away(formatMoment(since))}
      </span>
      <Button size="small" onClick={() => queries.refresh()} words={failureText.again} />
    </div>
  );
}

const areKeysShown = signal(false);

function KeysDialog() {
  if (!areKeysShown.value) return null;
  return (
    <Dialog title={shellText.keys.title} onClose={() => (areKeysShown.value = false)}>
      <Facts rows={shellText.keys.rows.map(([keys, does]) => [does, <kbd key={keys}>{keys}</kbd>])} />
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
        {shellText.skip}
      </a>
      <button type="button" class="skip" onClick={toList}>
        {shellText.skipToList}
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
