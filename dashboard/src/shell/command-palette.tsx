// Ctrl K: pages, agents and actions by a few letters. The focus stays in the field; arrows move through what was found.
import './command-palette.css';
import { signal } from '@preact/signals';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/button.tsx';
import { useFocus } from '../components/dialog.tsx';
import { chooseTimeWindow, type TimeWindow, timeWindows } from '../components/time-window.tsx';
import { useAgents } from '../data/lists/list-pages.ts';
import { useOperation } from '../data/use-operation.ts';
import { navigate } from '../router/location.ts';
import { routes } from '../routes.ts';
import { signOut } from '../session/sign-in.ts';
import { chooseTheme, type ThemeChoice } from '../styles/theme.ts';
import { shellText } from '../text/components.ts';
import { reachable } from './navigation.tsx';
import { action, findEntries, jobsAt, type PaletteEntry, pageActions } from './palette-entries.ts';

const text = {
  label: 'Search',
  placeholder: 'Find an access point, page or action',
  groups: { pages: 'Pages', agents: 'Access points', devices: 'Devices', actions: 'Actions' },
};

/** Whoever looks for a device has its pseudonym; other words are about access points and pages. */
const beginning = /^dev-[a-z2-7]{1,16}$/;
const limit = 20;

export function useFoundDevices(query: string): readonly PaletteEntry[] {
  const search = query.trim().toLowerCase();
  const isWanted = beginning.test(search);
  const { data } = useOperation('list_devices', { query: { search, limit } }, { isWanted });
  return useMemo(
    () =>
      (isWanted ? (data?.items ?? []) : []).map(
        ({ device, technologies, last_ap_id }): PaletteEntry => ({
          id: `device ${device}`,
          group: 'devices',
          label: device,
          hint: [...technologies, last_ap_id].filter(Boolean).join(' · '),
          icon: 'device',
          onChoose: () => navigate(`/devices/${encodeURIComponent(device)}`),
        }),
      ),
    [isWanted, data],
  );
}

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

export function CommandPalette() {
  return isOpen.value ? <PaletteDialog /> : null;
}

/** The best of them are shown: an exact name may come late in their order. */
const lookedAt = 100;

function PaletteDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const listed = useAgents(
    { limit: lookedAt, ...(query.trim() !== '' && { search: query.trim() }) },
    { pages: 1, pollMs: () => 10_000 },
  );
  const agents = listed.data?.items;
  const devices = useFoundDevices(query);
  useLayoutEffect(() => {
    dialog.current!.showModal();
  }, []);
  const field = useFocus<HTMLInputElement>();
  const actions = pageActions.value;
  const pages = reachable.value;
  const entries = useMemo(() => {
    const hasAgentPage = routes.some(({ path }) => path === '/agents/:ap_id');
    const pageEntries = pages.map(
      ({ path, title, nav }): PaletteEntry => ({
        id: `page ${path}`,
        group: 'pages',
        label: title,
        also: jobsAt(path)
          .map(({ label, also }) => `${label} ${also}`)
          .join(' '),
        icon: nav?.icon ?? 'chevron-right',
        onChoose: () => navigate(path),
      }),
    );
    const jobEntries = pages.flatMap(({ path }) =>
      jobsAt(path).map(({ label, href, also }) => ({ ...action(label, 'chevron-right', () => navigate(href)), also })),
    );
    const agentEntries = (hasAgentPage ? (agents ?? []) : []).map(
      ({ ap_id, display_name, access_point_type, site, tags }): PaletteEntry => ({
        id: `agent ${ap_id}`,
        group: 'agents',
        label: display_name ?? ap_id,
        hint: [display_name && ap_id, access_point_type, site, ...tags].filter(Boolean).join(' · '),
        icon: 'agents',
        onChoose: () => navigate(`/agents/${encodeURIComponent(ap_id)}`),
      }),
    );
    return [...pageEntries, ...agentEntries, ...devices, ...actions, ...jobEntries, ...standingActions()];
  }, [agents, devices, actions, pages]);
  const found = useMemo(() => findEntries(entries, query), [entries, query]);
  const at = Math.min(active, found.length - 1);
  const close = () => {
    isOpen.value = false;
  };
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    close();
    entry.onChoose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = (at + (event.key === 'ArrowDown' ? 1 : -1) + found.length) % Math.max(1, found.length);
      setActive(next);
      list.current?.querySelectorAll('[role="option"]')[next]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is one beside the dialog; the key for it is Escape
    <dialog
      ref={dialog}
      class="palette"
      aria-label={text.label}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          aria-label={text.placeholder}
          placeholder={text.placeholder}
          ref={field}
          spellcheck={false}
          autoCapitalize="none"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="palette-list" role="listbox" id={`${id}-list`} aria-label={text.label} ref={list}>
        {found.map((entry, index) => (
          <PaletteRow
            key={entry.id}
            entry={entry}
            id={`${id}-${index}`}
            isActive={index === at}
            isFirst={found[index - 1]?.group !== entry.group}
            onChoose={() => choose(entry)}
            onPoint={() => setActive(index)}
          />
        ))}
      </div>
      {found.length === 0 && <p class="palette-empty soft">Nothing found. Try part of a name.</p>}
    </dialog>
  );
}

interface PaletteRowProps {
  entry: PaletteEntry;
  id: string;
  isActive: boolean;
  /** The first of its group carries the group's name. */
  isFirst: boolean;
  onChoose: () => void;
  onPoint: () => void;
}

function PaletteRow({ entry, id, isActive, isFirst, onChoose, onPoint }: PaletteRowProps) {
  return (
    <>
      {isFirst && (
        <div class="palette-group faint small" role="presentation">
          {text.groups[entry.group]}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isActive}
        class="palette-row"
        onClick={onChoose}
        onPointerMove={onPoint}
      >
        <Icon name={entry.icon} size={16} />
        <span>{entry.label}</span>
        {entry.hint && <span class="faint">{entry.hint}</span>}
      </div>
    </>
  );
}

function standingActions(): PaletteEntry[] {
  return [
    action(shellText.signOut, 'sign-out', signOut),
    ...(['system', 'light', 'dark'] satisfies ThemeChoice[]).map((choice) =>
      action(`Theme: ${shellText.themes[choice]}`, 'sun', () => chooseTheme(choice)),
    ),
    ...(Object.keys(timeWindows) as TimeWindow[]).map((name) =>
      action(`Show the last ${timeWindows[name].words}`, 'clock', () => chooseTimeWindow(name)),
    ),
  ];
}
