// The pages at the left edge; with names, or as icons only.
import { signal } from '@preact/signals';
import { Icon } from '../components/icon.tsx';
import { WeftMark } from '../components/weft-mark.tsx';
import { keep, readKept } from '../data/kept.ts';
import { shellText } from '../text/shell.ts';
import { currentNavPath, navigation } from './navigation.ts';

const storageKey = 'weft.rail';
export const isRailNarrow = signal(readKept('browser', storageKey) === 'narrow');

function toggle(): void {
  isRailNarrow.value = !isRailNarrow.value;
  keep('browser', storageKey, isRailNarrow.value ? 'narrow' : 'wide');
}

export function Rail() {
  const isNarrow = isRailNarrow.value;
  const toggleName = isNarrow ? shellText.expand : shellText.collapse;
  return (
    <nav class="rail" aria-label={shellText.navigation}>
      <a class="brand" href="/" aria-label={shellText.product}>
        <WeftMark />
        <span class="rail-name">{shellText.product}</span>
      </a>
      {navigation.value.map(({ path, title, nav }) => (
        <a
          key={path}
          class="rail-link"
          href={path}
          aria-current={currentNavPath.value === path ? 'page' : undefined}
          aria-label={title}
          title={isNarrow ? title : undefined}
        >
          <Icon name={nav.icon} />
          <span class="rail-name">{title}</span>
        </a>
      ))}
      <span class="fill" />
      <button type="button" class="rail-link" onClick={toggle} aria-label={toggleName} title={toggleName}>
        <Icon name={isNarrow ? 'chevron-right' : 'chevron-left'} />
        <span class="rail-name">{toggleName}</span>
      </button>
    </nav>
  );
}
