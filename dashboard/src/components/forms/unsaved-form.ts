// Asks before what was typed into a form is lost: by a link, Back, closing the tab, or closing the dialog that it is in.

import { useState } from 'preact/hooks';
import { askBefore, useUnsaved } from '../../router/leaving.ts';
import { place } from '../../router/location.ts';
import type { FormState } from './form.tsx';

type Values = Record<string, string>;

/** Whether something was typed that is not saved; what is in `except` is chosen again in a moment. */
export function isChanged({ values, saved }: FormState<Values>, except: readonly string[] = []): boolean {
  const before = saved.value;
  return Object.entries(values.value).some(([name, value]) => !except.includes(name) && value !== (before[name] ?? ''));
}

/** What is in the form now is saved. */
export function keepForm<Fields extends Values>({ values, saved }: FormState<Fields>): void {
  saved.value = values.peek();
}

/** Of a form on a page. */
export function useUnsavedForm<Fields extends Values>(form: FormState<Fields>, except: readonly string[] = []): void {
  const [here] = useState(() => place.peek().pathname);
  useUnsaved(isChanged(form as unknown as FormState<Values>, except), ({ pathname }) => pathname !== here);
}

/** Of a form in a dialog: returns how the dialog is closed by whoever has not saved. */
export function useUnsavedDialog<Fields extends Values>(form: FormState<Fields>, onClose: () => void): () => void {
  const hasWork = isChanged(form as unknown as FormState<Values>);
  useUnsaved(hasWork, () => true);
  return () => (hasWork ? askBefore(onClose) : onClose());
}
