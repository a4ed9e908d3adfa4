import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';

/** What of the library's form this needs. */
interface Form {
  errors: Record<string, unknown>;
  setErrors: (faults: Record<string, string>) => void;
  setFieldError: (field: string, fault: string) => void;
  clearFieldError: (field: string) => void;
  getInputProps: (field: string) => { value?: unknown };
}

/**
 * What the portal refused in a form stands at the fields that it is about, until they are changed: leaving a field alone mends nothing.
 * The first of them comes into sight and gets the focus. `error`: why the last attempt failed; null while another one runs.
 */
export function useRefusedFields(
  form: Form,
  root: RefObject<HTMLElement | null>,
  error: Error | null,
  faultsOf: (error: Error) => Record<string, string>,
): void {
  const refused = useRef(new Map<string, { fault: string; value: unknown }>());
  const isDue = useRef(false);
  const present = (field: string) => form.getInputProps(field).value;
  const take = useEffectEvent(() => {
    const faults = error ? faultsOf(error) : {};
    for (const field of refused.current.keys()) form.clearFieldError(field);
    const named = Object.entries(faults);
    refused.current = new Map(named.map(([field, fault]) => [field, { fault, value: present(field) }]));
    isDue.current = named.length > 0;
    if (isDue.current) form.setErrors(faults);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another failure is what it waits for.
  useEffect(() => take(), [error]);
  const keep = useEffectEvent(() => {
    for (const [field, { fault, value }] of refused.current) {
      if (present(field) !== value) refused.current.delete(field);
      else if (!form.errors[field]) form.setFieldError(field, fault);
    }
    const first = isDue.current && root.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!first) return;
    isDue.current = false;
    first.focus();
  });
  useEffect(() => keep());
}
