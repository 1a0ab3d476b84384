// How the dashboard looks in this browser.
import { useId } from 'preact/hooks';
import { chooseMotion, type MotionChoice, motionChoice } from '../../styles/motion.ts';
import { chooseTheme, type ThemeChoice, themeChoice } from '../../styles/theme.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';

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

interface ChoicesProps<Choice extends string> {
  label: string;
  value: Choice;
  options: Record<Choice, string>;
  onChange: (choice: Choice) => void;
}

function Choices<Choice extends string>({ label, value, options, onChange }: ChoicesProps<Choice>) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {(Object.keys(options) as Choice[]).map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={choice === value} onChange={() => onChange(choice)} />
          {options[choice]}
        </label>
      ))}
    </fieldset>
  );
}
