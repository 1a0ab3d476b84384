// How the dashboard looks in this browser.
import { chooseMotion, type MotionChoice, motionChoice } from '../../styles/motion.ts';
import { chooseTheme, type ThemeChoice, themeChoice } from '../../styles/theme.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { Choices } from './choices.tsx';

export function AppearanceCard() {
  const text = settingsText.appearance;
  return (
    <section class="card stack">
      <h2>{text.title}</h2>
      <Choices<ThemeChoice>
        label={text.theme}
        value={themeChoice.value}
        options={shellText.themes}
        onChange={chooseTheme}
      />
      <Choices<MotionChoice>
        label={text.motion}
        value={motionChoice.value}
        options={text.motions}
        onChange={chooseMotion}
      />
      <p class="faint small">{text.remembered}</p>
    </section>
  );
}
