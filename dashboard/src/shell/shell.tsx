// The frame around the pages: rail, top bar, page. Under 720 px the rail becomes a bar at the foot.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Toasts } from '../components/feedback/toasts.tsx';
import { place } from '../router/location.ts';
import { ExpiredDialog } from '../session/expired-dialog.tsx';
import { shellText } from '../text/shell.ts';
import { CommandPalette, openPalette } from './command-palette.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { isRailNarrow, Rail } from './rail.tsx';
import './shell.css';
import { TopBar } from './top-bar.tsx';

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
