// The bell in the top bar: how many alarms nobody has acknowledged yet; a click opens them.
import { Icon } from '../components/icon.tsx';
import { useOperation } from '../data/use-operation.ts';
import { formatNumber } from '../format/numbers.ts';
import { alarmsText } from '../text/alarms.ts';

const maxCounted = 100;

export function AlarmBell() {
  const query = { state: 'firing', shelved: false, caused: false, limit: maxCounted };
  const { data } = useOperation('list_alarms', { query }, { pollMs: 5000 });
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
