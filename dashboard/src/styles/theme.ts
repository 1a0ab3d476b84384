// Light, dark, or as the system has it; remembered in this browser.
import { computed, signal } from '@preact/signals';
import { keep, readKept } from '../data/kept.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const storageKey = 'weft.theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal<'light' | 'dark'>(systemIsDark.matches ? 'dark' : 'light');

export const themeChoice = signal<ThemeChoice>(readChoice());
export const themeInForce = computed(() => (themeChoice.value === 'system' ? systemTheme.value : themeChoice.value));

export function startTheme(): void {
  systemIsDark.addEventListener('change', () => {
    systemTheme.value = systemIsDark.matches ? 'dark' : 'light';
  });
  themeChoice.subscribe((choice) => {
    if (choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
  });
}

export function chooseTheme(choice: ThemeChoice): void {
  keep('browser', storageKey, choice);
  themeChoice.value = choice;
}

function readChoice(): ThemeChoice {
  const stored = readKept('browser', storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
