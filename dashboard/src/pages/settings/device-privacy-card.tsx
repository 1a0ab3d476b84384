// Whether administrators see the addresses of devices. What is stored has pseudonyms all the same.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { settingsText } from '../../text/settings.ts';
import { Choices } from './choices.tsx';

const text = settingsText.devicePrivacy;
type Shown = keyof typeof text.choices;

export function DevicePrivacyCard() {
  const { data, failure } = useOperation('get_device_privacy', {});
  const [asked, setAsked] = useState<Shown | undefined>(undefined);
  const value: Shown = data?.clear_addresses ? 'clear' : 'pseudonyms';
  const close = () => setAsked(undefined);
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_device_privacy')} />}
      <Choices<Shown>
        label={text.label}
        value={value}
        options={text.choices}
        isDisabled={!data}
        isAsked
        onChange={setAsked}
      />
      <p class="faint small">{text.words}</p>
      {asked && (
        <ConfirmDialog
          title={text.titles[asked]}
          action={text.actions[asked]}
          kind={asked === 'clear' ? 'danger' : 'primary'}
          onClose={close}
          onConfirm={async () => {
            await call('set_device_privacy', { json: { clear_addresses: asked === 'clear' } });
            queries.refresh('get_device_privacy');
            showToast({ title: text.done[asked] });
            close();
          }}
        >
          {text.consequences[asked]}
        </ConfirmDialog>
      )}
    </section>
  );
}
