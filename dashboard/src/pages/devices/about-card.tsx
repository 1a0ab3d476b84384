// What is known about a device apart from its links, and what can be done about what is kept of it.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import type { DeviceDetails } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { Button } from '../../components/button.tsx';
import { showFailure, showToast } from '../../components/feedback/toasts.tsx';
import '../../components/layout/facts.css';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries } from '../../data/use-operation.ts';
import { formatMoment } from '../../format/times.ts';
import { navigate } from '../../router/location.ts';
import { session } from '../../session/session.ts';
import { devicesText } from '../../text/devices.ts';
import { LastSeen } from '../agents/last-seen.tsx';
import { LinkIdentityDialog } from './link-identity-dialog.tsx';

const text = devicesText.one;

export function AboutCard({ device }: { device: DeviceDetails }) {
  const { last_seen, last_ap_id, randomised, identities = [], watched_until } = device;
  const [asked, setAsked] = useState<'unwatch' | 'link' | 'erase' | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const path = { device: device.device };
  const close = () => setAsked(undefined);
  const watch = async () => {
    setBusy(true);
    try {
      await call('watch_device', { path, json: {} });
      queries.refresh('get_device');
      showToast({ title: text.watched });
    } catch (error) {
      showFailure(toFailure(error));
    }
    setBusy(false);
  };
  return (
    <section class="card device-about">
      <h2>{text.about}</h2>
      <dl class="facts">
        <dt>{text.lastSeen}</dt>
        <dd>
          <LastSeen at={last_seen} />
        </dd>
        <dt>{text.lastAgent}</dt>
        <dd>{last_ap_id ? <AgentName ap_id={last_ap_id} /> : '–'}</dd>
        <dt>{text.randomised}</dt>
        <dd>{randomised ? text.randomisedWords : text.fixedWords}</dd>
        {identities.length > 0 && (
          <>
            <dt>{text.identities}</dt>
            <dd class="mono">{identities.join(', ')}</dd>
          </>
        )}
        <dt>{text.history}</dt>
        <dd>{watched_until ? text.watchedUntil(formatMoment(Date.parse(watched_until))) : text.notWatched}</dd>
      </dl>
      <p class="faint small">{text.watchWords}</p>
      <div class="cluster">
        {watched_until ? (
          <Button icon="eye" onClick={() => setAsked('unwatch')}>
            {text.unwatch}
          </Button>
        ) : (
          <Button icon="eye" isBusy={isBusy} onClick={watch}>
            {text.watch}
          </Button>
        )}
        {session.value?.isAdmin && (
          <>
            <Button onClick={() => setAsked('link')}>{devicesText.link.open}</Button>
            <Button kind="danger" onClick={() => setAsked('erase')}>
              {devicesText.erase.open}
            </Button>
          </>
        )}
      </div>
      {asked === 'unwatch' && (
        <ConfirmDialog
          title={text.unwatchTitle}
          action={text.unwatch}
          onClose={close}
          onConfirm={async () => {
            await call('unwatch_device', { path });
            queries.refresh('get_device');
            showToast({ title: text.unwatched });
            close();
          }}
        >
          {text.unwatchWords}
        </ConfirmDialog>
      )}
      {asked === 'link' && <LinkIdentityDialog device={device.device} onClose={close} />}
      {asked === 'erase' && (
        <ConfirmDialog
          title={devicesText.erase.title(device.device)}
          action={devicesText.erase.action}
          onClose={close}
          onConfirm={async () => {
            await call('erase_device', { path });
            showToast({ title: devicesText.erase.done });
            navigate('/devices', { isReplacing: true });
          }}
        >
          {devicesText.erase.words}
        </ConfirmDialog>
      )}
    </section>
  );
}
