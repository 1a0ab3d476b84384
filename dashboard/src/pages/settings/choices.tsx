// One of a few, for this browser.
import { useId } from 'preact/hooks';

interface ChoicesProps<Choice extends string> {
  label: string;
  value: Choice;
  options: Record<Choice, string>;
  isDisabled?: boolean;
  onChange: (choice: Choice) => void;
}

export function Choices<Choice extends string>(props: ChoicesProps<Choice>) {
  const { label, value, options, isDisabled = false, onChange } = props;
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
            onChange={() => onChange(choice)}
          />
          {options[choice]}
        </label>
      ))}
    </fieldset>
  );
}
