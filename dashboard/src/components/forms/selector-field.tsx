// A selector as a field of a form: explained while it is typed, with the number of access points that match.
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { componentText } from '../../text/components.ts';
import { Field, type FieldProps } from './fields.tsx';
import { SelectorInput, useSettled } from './selector-input.tsx';

type SelectorFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'>;

export function SelectorField<Values extends Record<string, string>>(props: SelectorFieldProps<Values>) {
  const { form, name } = props;
  const value = form.values.value[name] ?? '';
  return (
    <Field {...props}>
      {(attributes) => (
        <SelectorInput
          value={value}
          onInput={(next) => form.set(name, next)}
          beside={useMatches(value)}
          attributes={attributes}
        />
      )}
    </Field>
  );
}

/** How many access points match, in words; undefined while that is not known. */
export function useMatches(selector: string): string | undefined {
  const settled = useSettled(selector);
  const { data } = useOperation('explain_selector', { json: { selector: settled } });
  return data && settled === selector ? componentText.selector.match(formatNumber(data.matches)) : undefined;
}
