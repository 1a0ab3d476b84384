// How the dashboard looks in this browser: light or dark, how much moves, and design tokens as colours that a canvas understands.
import './motion.css';
import { computed, signal } from '@preact/signals';
import { keep, readKept } from '../data/kept.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const themeKey = 'weft.theme';
const systemTheme = signal<'light' | 'dark'>('light');

export const themeChoice = signal<ThemeChoice>(readChoice());
export const themeInForce = computed(() => (themeChoice.value === 'system' ? systemTheme.value : themeChoice.value));

export function startTheme(): void {
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
  const followSystem = () => {
    systemTheme.value = systemIsDark.matches ? 'dark' : 'light';
  };
  followSystem();
  systemIsDark.addEventListener('change', followSystem);
  themeChoice.subscribe((choice) => {
    if (choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
  });
}

export function chooseTheme(choice: ThemeChoice): void {
  keep('browser', themeKey, choice);
  themeChoice.value = choice;
}

function readChoice(): ThemeChoice {
  const stored = readKept('browser', themeKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export type MotionChoice = 'system' | 'reduced';

const motionKey = 'weft.motion';

export const motionChoice = signal<MotionChoice>('system');

/** Takes up what was chosen before. */
export function startMotion(): void {
  apply(readKept('browser', motionKey) === 'reduced' ? 'reduced' : 'system');
}

export function chooseMotion(choice: MotionChoice): void {
  keep('browser', motionKey, choice);
  apply(choice);
}

function apply(choice: MotionChoice): void {
  motionChoice.value = choice;
  if (choice === 'system') delete document.documentElement.dataset.motion;
  else document.documentElement.dataset.motion = choice;
}

let probe: HTMLElement | undefined;
const known = new Map<string, string>();

/** `token` is the name of a custom property, such as `--ink`. Reading it follows the theme. */
export function colourOf(token: string): string {
  const key = `${themeInForce.value} ${token}`;
  let colour = known.get(key);
  if (colour === undefined) {
    if (!probe) {
      probe = document.createElement('span');
      probe.hidden = true;
      document.body.append(probe);
    }
    probe.style.color = `var(${token})`;
    colour = getComputedStyle(probe).color;
    known.set(key, colour);
  }
  return colour;
}

let family: string | undefined;

/** What a canvas writes in: as the page does. */
export function fontFamily(): string {
  family ??= getComputedStyle(document.body).fontFamily;
  return family;
}

/** The same colour, let through by this share. */
export function withAlpha(colour: string, alpha: number): string {
  return colour.replace(/^rgba?\(([^)]+)\)$/, (_, parts: string) => {
    const [red, green, blue] = parts.split(/[\s,/]+/);
    return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
  });
}
