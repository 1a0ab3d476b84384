// A moment in a form: chosen in the time zone of the browser, sent as the interface writes moments.
import { Field, type FieldProps } from './fields.tsx';

type MomentFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'>;

export function MomentField<Values extends Record<string, string>>(props: MomentFieldProps<Values>) {
  const { form, name } = props;
  return (
    <Field {...props}>
      {(attributes) => (
        <input
          class="input"
          type="datetime-local"
          step="1"
          value={form.values.value[name]}
          onInput={(event) => form.set(name, event.currentTarget.value)}
          {...attributes}
        />
      )}
    </Field>
  );
}
