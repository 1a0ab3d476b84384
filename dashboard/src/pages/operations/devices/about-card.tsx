// What is known about a device apart from its links, and what can be done about what is kept of it.
import { looksLikeAddress } from '@weft/contract/device-address';
import { useState } from 'preact/hooks';
import { call, type DeviceDetails } from '../../../api/client.ts';
import { AgentName, LastSeen } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { showToast, useAction } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { Card, Facts } from '../../../components/page.tsx';
import { queries } from '../../../data/use-operation.ts';
import { formatMoment } from '../../../format.ts';
import { navigate } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';

const unwatch = 'Stop watching';

export function LinkIdentityDialog({ device, onClose }: { device: string; onClose: () => void }) {
  const form = useForm({ identity: '' });
  const submit = async ({ identity: typed }: { identity: string }) => {
    const identity = typed.trim();
    // An address is not sent, not even to be refused.
    const problem =
      identity === ''
        ? 'Enter a pseudonym'
        : looksLikeAddress(identity)
          ? 'This looks like the address of a device. Addresses are personal data and are not sent: use the pseudonym (dev-…) instead.'
          : undefined;
    if (problem !== undefined) return form.refuse({ identity: problem });
    await call('link_device_identity', { path: { device }, json: { identity } });
    queries.refresh('get_device');
    showToast({ title: 'They are one device now' });
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title="Link another name" onSubmit={submit}>
      <p class="soft">
        The same device may be known under several names, such as one on 5G and one on WiFi. From now on both are this
        device: links, moves and steering are shown together. This cannot be undone.
      </p>
      <TextField
        {...form.at('identity')}
        label="Other pseudonym"
        hint="As its own page shows it, or the name of an emulated device."
        placeholder="dev-…"
        autoComplete="off"
        isMono
        hasFocus
      />
      <SubmitRow form={form}>Link</SubmitRow>
    </FormDialog>
  );
}

export function AboutCard({ device }: { device: DeviceDetails }) {
  const { last_seen, last_ap_id, randomised, identities = [], watched_until } = device;
  const [asked, setAsked] = useState<'unwatch' | 'link' | 'erase' | undefined>(undefined);
  const { isBusy, act } = useAction();
  const path = { device: device.device };
  const close = () => setAsked(undefined);
  const watch = () =>
    act(async () => {
      await call('watch_device', { path, json: {} });
      queries.refresh('get_device');
      return 'History is kept for a day';
    });
  return (
    <Card title="About" look="device-about">
      <Facts
        rows={[
          ['Last seen', <LastSeen key="seen" at={last_seen} />],
          ['Last access point', last_ap_id ? <AgentName key="last" ap_id={last_ap_id} /> : '–'],
          ['Address', randomised ? 'randomised: it may come back under another name' : 'not randomised'],
          identities.length > 0 && ['Also known as', identities.join(', '), 'mono'],
          ['History', watched_until ? `kept until ${formatMoment(watched_until)}` : 'not kept'],
        ]}
      />
      <p class="faint small">
        While a device is watched, its signal, rates and access point are kept. Others see that it is watched.
      </p>
      <div class="cluster">
        {watched_until ? (
          <Button icon="eye" onClick={() => setAsked('unwatch')} words={unwatch} />
        ) : (
          <Button icon="eye" isBusy={isBusy} onClick={watch} words="Watch" />
        )}
        {session.value?.isAdmin && (
          <>
            <Button onClick={() => setAsked('link')}>Link a name</Button>
            <Button kind="danger" onClick={() => setAsked('erase')} words="Erase" />
          </>
        )}
      </div>
      {asked === 'unwatch' && (
        <ConfirmDialog
          title="Stop watching?"
          action={unwatch}
          onClose={close}
          onConfirm={() => call('unwatch_device', { path })}
          changes={['get_device']}
          done="No longer watched"
          words="What was kept of its signal, rates and access points is removed."
        />
      )}
      {asked === 'link' && <LinkIdentityDialog device={device.device} onClose={close} />}
      {asked === 'erase' && (
        <ConfirmDialog
          title={`Erase ${device.device}?`}
          action="Erase device"
          onClose={close}
          onConfirm={() => call('erase_device', { path })}
          done="Device erased"
          onDone={() => navigate('/devices', { isReplacing: true })}
          words={
            'Its links, moves, history and identities are removed. In commands and their results it becomes "erased"; the audit log, which cannot be changed, keeps the pseudonym. If it is still attached, it comes back with the next report. This cannot be undone.'
          }
        />
      )}
    </Card>
  );
}
