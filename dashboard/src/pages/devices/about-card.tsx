// What is known about a device apart from its links, and what can be done about what is kept of it.
import { looksLikeAddress } from '@weft/contract/device-address';
import { useState } from 'preact/hooks';
import { call, type DeviceDetails } from '../../api/client.ts';
import { AgentName, LastSeen } from '../../components/agent-name.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { showToast, useAction } from '../../components/feedback.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../components/forms/form.tsx';
import { Card, Facts } from '../../components/page.tsx';
import { queries } from '../../data/use-operation.ts';
import { formatMoment } from '../../format.ts';
import { navigate } from '../../router/location.ts';
import { session } from '../../session/session.ts';
import { devicesText } from '../../text/devices.ts';

const linkText = devicesText.link;

export function LinkIdentityDialog({ device, onClose }: { device: string; onClose: () => void }) {
  const form = useForm({ identity: '' });
  const submit = async ({ identity: typed }: { identity: string }) => {
    const identity = typed.trim();
    // An address is not sent, not even to be refused.
    const problem = identity === '' ? linkText.none : looksLikeAddress(identity) ? linkText.address : undefined;
    if (problem !== undefined) return form.refuse({ identity: problem });
    await call('link_device_identity', { path: { device }, json: { identity } });
    queries.refresh('get_device');
    showToast({ title: linkText.done });
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title={linkText.title} onSubmit={submit}>
      <p class="soft">{linkText.words}</p>
      <TextField
        {...form.at('identity')}
        label={linkText.identity}
        hint={linkText.hint}
        placeholder="dev-…"
        autoComplete="off"
        isMono
        hasFocus
      />
      <SubmitRow form={form}>{linkText.action}</SubmitRow>
    </FormDialog>
  );
}

const text = devicesText.one;

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
      return text.watched;
    });
  return (
    <Card title={text.about} look="device-about">
      <Facts
        rows={[
          [text.lastSeen, <LastSeen key="seen" at={last_seen} />],
          [text.lastAgent, last_ap_id ? <AgentName key="last" ap_id={last_ap_id} /> : '–'],
          [text.randomised, randomised ? text.randomisedWords : text.fixedWords],
          identities.length > 0 && [text.identities, identities.join(', '), 'mono'],
          [text.history, watched_until ? text.watchedUntil(formatMoment(watched_until)) : text.notWatched],
        ]}
      />
      <p class="faint small">{text.watchWords}</p>
      <div class="cluster">
        {watched_until ? (
          <Button icon="eye" onClick={() => setAsked('unwatch')} words={text.unwatch} />
        ) : (
          <Button icon="eye" isBusy={isBusy} onClick={watch} words={text.watch} />
        )}
        {session.value?.isAdmin && (
          <>
            <Button onClick={() => setAsked('link')}>{devicesText.link.open}</Button>
            <Button kind="danger" onClick={() => setAsked('erase')} words={devicesText.erase.open} />
          </>
        )}
      </div>
      {asked === 'unwatch' && (
        <ConfirmDialog
          title={text.unwatchTitle}
          action={text.unwatch}
          onClose={close}
          onConfirm={() => call('unwatch_device', { path })}
          changes={['get_device']}
          done={text.unwatched}
          words={text.unwatchWords}
        />
      )}
      {asked === 'link' && <LinkIdentityDialog device={device.device} onClose={close} />}
      {asked === 'erase' && (
        <ConfirmDialog
          title={devicesText.erase.title(device.device)}
          action={devicesText.erase.action}
          onClose={close}
          onConfirm={() => call('erase_device', { path })}
          done={devicesText.erase.done}
          onDone={() => navigate('/devices', { isReplacing: true })}
          words={devicesText.erase.words}
        />
      )}
    </Card>
  );
}
