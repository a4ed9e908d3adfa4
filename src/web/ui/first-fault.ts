import { type RefObject, type SyntheticEvent, useLayoutEffect, useRef } from 'react';

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

/**
 * A write has ended and its form is still there: it failed. The first field that was refused gets the focus. Where none was, what
 * had the focus has it again: the browser takes it from a button that is disabled meanwhile, and it would be nowhere.
 */
export function useFocusAfter(running: boolean, root: RefObject<HTMLElement | null>): void {
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (running) {
      before.current = document.activeElement;
      return;
    }
    const back = before.current;
    before.current = null;
    if (back === null) return;
    const frame = requestAnimationFrame(() => {
      const fault = root.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
      if (fault) fault.focus();
      else if (document.activeElement === document.body && back instanceof HTMLElement) back.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [running, root]);
}
