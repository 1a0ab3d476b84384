// The choice of the time window that all charts obey. Pages with charts put it beside their title.
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/overlays/menu.tsx';
import { chooseTimeWindow, type TimeWindow, timeWindow, timeWindows } from '../data/time-window.ts';
import { shellText } from '../text/shell.ts';

export function TimeWindowMenu() {
  const current = timeWindow.value;
  return (
    <Menu
      label={shellText.timeWindow(shellText.windows[current])}
      kind="plain"
      items={(Object.keys(timeWindows) as TimeWindow[]).map((name) => ({
        label: shellText.windows[name],
        isChosen: name === current,
        onChoose: () => chooseTimeWindow(name),
      }))}
    >
      <Icon name="clock" size={16} />
      {shellText.windows[current]}
      <Icon name="chevron-down" size={14} />
    </Menu>
  );
}
