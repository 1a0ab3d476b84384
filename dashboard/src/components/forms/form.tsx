// Forms: what was typed stays, what is wrong is said beside its field in the server's words, and the first wrong field
// gets the focus.
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Failure, fieldOf, problemWords, toFailure } from '../../api/failure.ts';
import './form.css';
import { lastAnswerAt } from '../../data/freshness.ts';
import { FailureNotice } from '../feedback/notice.tsx';

export interface FormState<Values extends Record<string, string>> {
  values: Signal<Values>;
  /** Field -> what is wrong with it. */
  problems: Signal<Record<string, string>>;
  /** What went wrong and belongs to no field. */
  failure: Signal<Failure | undefined>;
  isBusy: Signal<boolean>;
  set: (name: keyof Values & string, value: string) => void;
  /** What it began with, or was saved last. */
  saved: Signal<Values>;
}

export function useForm<Values extends Record<string, string>>(initial: Values): FormState<Values> {
  // What a form begins with does not change while it is there.
  return useMemo(() => {
    const values = signal(initial);
    const saved = signal(initial);
    const problems = signal<Record<string, string>>({});
    return {
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
    };
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
