// Forms: what was typed stays, what is wrong is said beside its field in the server's words, and the first wrong field
// gets the focus. Whoever would lose what was typed by a link, Back, or closing the tab or the dialog is asked first.
import './form.css';
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Failure, fieldOf, problemWords, toFailure } from '../../api/client.ts';
import { lastAnswerAt } from '../../data/freshness.ts';
import { askBefore, useUnsaved } from '../../router/leaving.ts';
import { place } from '../../router/location.ts';
import { Button, type ButtonProps } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { FailureNotice } from '../feedback.tsx';

export interface FormState<Values extends Record<string, string>> {
  values: Signal<Values>;
  /** Field -> what is wrong with it. */
  problems: Signal<Record<string, string>>;
  /** What went wrong and belongs to no field. */
  failure: Signal<Failure | undefined>;
  isBusy: Signal<boolean>;
  set: (name: keyof Values & string, value: string) => void;
  /** Field -> what is wrong with it. */
  refuse: (problems: Record<string, string>) => void;
  /** What a field of this form needs. */
  at: (name: keyof Values & string) => { form: FormState<Values>; name: keyof Values & string };
  /** What it began with, or was saved last. */
  saved: Signal<Values>;
}

export function useForm<Values extends Record<string, string>>(initial: Values): FormState<Values> {
  // What a form begins with does not change while it is there.
  return useMemo(() => {
    const values = signal(initial);
    const saved = signal(initial);
    const problems = signal<Record<string, string>>({});
    const form: FormState<Values> = {
      values,
      saved,
      problems,
      failure: signal<Failure | undefined>(undefined),
      isBusy: signal(false),
      set: (name, value) => {
        values.value = { ...values.peek(), [name]: value };
        const { [name]: _mended, ...rest } = problems.peek();
        problems.value = rest;
      },
      refuse: (found) => {
        problems.value = found;
      },
      at: (name) => ({ form, name }),
    };
    return form;
  }, []);
}

/** Time to read it, even if Weft is back at once. */
const shownForMs = 4000;

interface FormProps<Values extends Record<string, string>> {
  form: FormState<Values>;
  /** Throws Failure; a 422 is shown beside the fields it names. */
  onSubmit: (values: Values) => Promise<void>;
  children: ComponentChildren;
  label?: string;
}

export function Form<Values extends Record<string, string>>({ form, onSubmit, children, label }: FormProps<Values>) {
  const element = useRef<HTMLFormElement>(null);
  const failure = form.failure.value;
  // Once Weft answers again, that it could not be reached is no longer true.
  useEffect(() => {
    if (failure?.code !== 'unreachable') return;
    const shownAt = Date.now();
    return lastAnswerAt.subscribe((at) => {
      if (at > shownAt + shownForMs) form.failure.value = undefined;
    });
  }, [failure]);
  const submit = async (event: Event) => {
    event.preventDefault();
    // A form in a dialog may stand inside of another, which must not be submitted with it.
    event.stopPropagation();
    if (form.isBusy.peek()) return;
    form.isBusy.value = true;
    form.problems.value = {};
    form.failure.value = undefined;
    try {
      await onSubmit(form.values.peek());
    } catch (error) {
      showFailure(form, toFailure(error));
    } finally {
      form.isBusy.value = false;
    }
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <form ref={element} class="form" onSubmit={submit} noValidate aria-label={label}>
      {failure && <FailureNotice failure={failure} />}
      {children}
    </form>
  );
}

type SubmitProps<Values extends Record<string, string>> = Omit<ButtonProps, 'form'> & { form: FormState<Values> };

export function SubmitButton<Values extends Record<string, string>>({ form, ...look }: SubmitProps<Values>) {
  return <Button type="submit" kind="primary" isBusy={form.isBusy.value} {...look} />;
}

/** In a row of its own, as wide as its words. */
export function SubmitRow<Values extends Record<string, string>>(props: SubmitProps<Values>) {
  return (
    <div>
      <SubmitButton {...props} />
    </div>
  );
}

function showFailure<Values extends Record<string, string>>(form: FormState<Values>, failure: Failure): void {
  const problems: Record<string, string> = {};
  const names = Object.keys(form.values.peek());
  let isElsewhere = failure.problems.length === 0;
  for (const problem of failure.problems) {
    const field = names.find((name) => fieldOf(problem) === name || fieldOf(problem).startsWith(`${name}.`));
    if (field === undefined) isElsewhere = true;
    else problems[field] ??= problemWords(problem);
  }
  form.problems.value = problems;
  if (isElsewhere) form.failure.value = failure;
}

type Values = Record<string, string>;

/** Whether something was typed that is not saved; what is in `except` is chosen again in a moment. */
export function isChanged<Fields extends Values>({ values, saved }: FormState<Fields>, except: readonly string[] = []) {
  const before: Values = saved.value;
  return Object.entries(values.value).some(([name, value]) => !except.includes(name) && value !== (before[name] ?? ''));
}

/** What is in the form now is saved. */
export function keepForm<Fields extends Values>({ values, saved }: FormState<Fields>): void {
  saved.value = values.peek();
}

/** Of a form on a page. */
export function useUnsavedForm<Fields extends Values>(form: FormState<Fields>, except: readonly string[] = []): void {
  const [here] = useState(() => place.peek().pathname);
  useUnsaved(isChanged(form, except), ({ pathname }) => pathname !== here);
}

interface FormDialogProps<Fields extends Values> extends Omit<FormProps<Fields>, 'label'> {
  title: string;
  width?: 'narrow' | 'wide';
  onClose: () => void;
}

/** A form in a dialog of its own: whoever has not saved is asked before it closes. */
export function FormDialog<Fields extends Values>(props: FormDialogProps<Fields>) {
  const { title, width = 'narrow', onClose, form } = props;
  const hasWork = isChanged(form);
  useUnsaved(hasWork, () => true);
  return (
    <Dialog title={title} width={width} onClose={() => (hasWork ? askBefore(onClose) : onClose())}>
      <Form {...props} label={title} />
    </Dialog>
  );
}
