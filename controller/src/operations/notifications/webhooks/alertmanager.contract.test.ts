// Alarms at a real Prometheus Alertmanager: they arrive, keep their labels, and are resolved.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasAlertmanager, startAlertmanager, type TestAlertmanager } from '../../../../../test/alertmanager.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';

describe.skipIf(!hasAlertmanager())('with Alertmanager', () => {
  let weft: TestWeft;
  let manager: TestAlertmanager;
  let admin: string;
  beforeAll(async () => {
    manager = await startAlertmanager();
    weft = await startWeft({ WEFT_WEBHOOK_ALLOW: '127.0.0.1' });
    admin = await weft.admin();
    const { status } = await weft.request('POST', '/api/v1/webhooks', {
      token: admin,
      json: { name: 'alertmanager', url: `${manager.url}/api/v2/alerts`, format: 'alertmanager', events: ['alarm.*'] },
    });
    expect(status).toBe(200);
  });
  afterAll(async () => {
    await weft.stop();
    await manager.stop();
  });

  const since = new Date(Date.now() - 60_000).toISOString();
  const alarm = (id: string, state: string, more: Partial<NewEvent> = {}): NewEvent => ({
    kind: `alarm.${state === 'firing' ? 'fired' : state}`,
    subject_kind: 'alarm',
    subject: id,
    site: 'uk/bristol/hall',
    severity: state === 'cleared' ? 'info' : 'major',
    text: 'Latency of ap-1 is 130 ms',
    data: {
      alarm_id: id,
      rule: 'latency too high',
      ap_id: 'ap-1',
      site: 'uk/bristol/hall',
      severity: 'major',
      state,
      value: 130,
      message: 'Latency of ap-1 is 130 ms',
      labels: { team: 'radio', 'on-call': 'ä "quoted"', '5g': 'yes', empty: '' },
      since,
    },
    ...more,
  });
  const append = (...events: NewEvent[]) =>
    weft.platform.database.transaction((tx) => weft.parts.eventLog.eventLog.append(tx, events));

  test('alarms arrive, keep their labels, and are resolved', async () => {
    await append(alarm('a-1', 'firing'), alarm('a-2', 'firing'), alarm('a-1', 'acknowledged'));
    const found = await untilSo(async () => {
      const alerts = await manager.alerts();
      expect(alerts).toHaveLength(2);
      return alerts.find(({ labels }) => labels.alarm_id === 'a-1')!;
    });
    expect(found.labels).toEqual({
      alertname: 'latency too high',
      alarm_id: 'a-1',
      ap_id: 'ap-1',
      site: 'uk/bristol/hall',
      severity: 'major',
      team: 'radio',
      on_call: 'ä "quoted"',
      _5g: 'yes',
    });
    expect(found.annotations).toMatchObject({ summary: 'Latency of ap-1 is 130 ms', value: '130' });
    expect(found.startsAt).toBe(since);
    // Not resolved by Alertmanager itself after its five minutes.
    expect(Date.parse(found.endsAt)).toBeGreaterThan(Date.now() + 86_400_000);
    await append(alarm('a-1', 'cleared'));
    await untilSo(async () => {
      const alerts = await manager.alerts();
      expect(alerts.map(({ labels }) => labels.alarm_id)).toEqual(['a-2']);
    });
    await append(alarm('a-2', 'cleared'));
    await untilSo(async () => expect(await manager.alerts()).toEqual([]));
  });

  test('an event that is no alarm, and a test, are alerts for a while', async () => {
    const { body } = await weft.request('GET', '/api/v1/webhooks', { token: admin });
    const tested = await weft.request('POST', `/api/v1/webhooks/${body.items[0].id}/test`, { token: admin });
    expect(tested.body).toMatchObject({ outcome: 'delivered', status: 200 });
    await untilSo(async () => {
      const [alert] = await manager.alerts();
      expect(alert!.labels).toMatchObject({ alertname: 'webhook.test', severity: 'info' });
      expect(Date.parse(alert!.endsAt)).toBeLessThan(Date.now() + 600_000);
    });
  });
});
