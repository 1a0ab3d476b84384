// One's account, how the dashboard looks, the way for programs, and how the service is.
import { Page } from '../../components/layout/page.tsx';
import { session } from '../../session/session.ts';
import { pageTitles } from '../../text/pages.ts';
import { AccountCard, DeleteAccountCard, PasswordCard, SessionsCard } from './account-cards.tsx';
import { AppearanceCard } from './appearance-card.tsx';
import { DevicePrivacyCard } from './device-privacy-card.tsx';
import { InterfaceCard } from './interface-card.tsx';
import { NoticesCard } from './notices-card.tsx';
import './settings-page.css';
import { SystemCard } from './system-card.tsx';

export function SettingsPage() {
  return (
    <Page title={pageTitles.settings}>
      <div class="settings-grid">
        <div class="stack">
          <AccountCard />
          <PasswordCard />
          <DeleteAccountCard />
        </div>
        <div class="stack">
          <AppearanceCard />
          <NoticesCard />
          <InterfaceCard />
          <SystemCard />
          {session.value?.isAdmin && <DevicePrivacyCard />}
          {/* Last, because how long it is comes later than the page. */}
          <SessionsCard />
        </div>
      </div>
    </Page>
  );
}
