import type { SyntheticEvent } from 'react';

/** The first field with a fault in it gets the focus, as soon as the form shows the fault. */
export function focusFault(form: HTMLElement | null | undefined): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** What a form does that was sent with faults in it: the second argument of the library's `onSubmit`. */
export function onFaults(
  _errors: unknown,
  _values: unknown,
  event: SyntheticEvent<HTMLFormElement> | undefined,
): void {
  focusFault(event?.currentTarget);
}
