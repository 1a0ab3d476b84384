// Design tokens as colours that a canvas understands: tokens are written for two themes, a canvas needs the one in force.
import { themeInForce } from '../styles/theme.ts';

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

/** The same colour, let through by this share. */
export function withAlpha(colour: string, alpha: number): string {
  return colour.replace(/^rgba?\(([^)]+)\)$/, (_, parts: string) => {
    const [red, green, blue] = parts.split(/[\s,/]+/);
    return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
  });
}
