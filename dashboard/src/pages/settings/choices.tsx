// One of a few, for this browser.
import { useId } from 'preact/hooks';

interface ChoicesProps<Choice extends string> {
  label: string;
  value: Choice;
  options: Record<Choice, string>;
  isDisabled?: boolean;
  /** Something is asked first: until the value has changed, the one that it has stays chosen. */
  isAsked?: boolean;
  onChange: (choice: Choice) => void;
}

export function Choices<Choice extends string>(props: ChoicesProps<Choice>) {
  const { label, value, options, isDisabled = false, isAsked = false, onChange } = props;
  const ask = (event: Event, choice: Choice) => {
    // The browser then goes back to what was chosen; no change is told.
    event.preventDefault();
    if (choice !== value) onChange(choice);
  };
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {(Object.keys(options) as Choice[]).map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            name={name}
            checked={choice === value}
            disabled={isDisabled}
            {...(isAsked ? { onClick: (event: Event) => ask(event, choice) } : { onChange: () => onChange(choice) })}
          />
          {options[choice]}
        </label>
      ))}
    </fieldset>
  );
}
