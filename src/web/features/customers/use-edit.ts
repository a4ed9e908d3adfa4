import { useState } from 'react';
import { type Customer, customer as customerShape } from '#contracts/operations/customers.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { CallBody } from '../../lib/operations.ts';
import { useUpdateCustomer } from './api.ts';

type Change = Omit<CallBody<'PATCH /customer/:id'>, 'version'>;

/**
 * Editing over the version that was read. `base` is what the form started from; a change by somebody else is held in
 * `theirs` until the person decides.
 */
export function useEdit(present: Customer, dirty: boolean) {
  const update = useUpdateCustomer(present.customerId);
  const [base, setBase] = useState(present);
  const [theirs, setTheirs] = useState<Customer | null>(null);
  if (isTakenOver(present, { base, theirs, dirty })) setBase(present);

  /** After a conflict was shown, saving again saves over what was shown. */
  function save(change: Change, onSaved: () => void): void {
    update.mutate(
      { ...change, version: savedOver(base, theirs) },
      {
        onSuccess: (saved) => {
          setTheirs(null);
          setBase(saved);
          onSaved();
        },
        onError: (error) => setTheirs(theirsOf(error)),
      },
    );
  }

  return {
    base,
    theirs,
    saving: update.isPending,
    saved: update.isSuccess && !dirty,
    /** The server's message; a conflict has its own notice. */
    error: theirs === null ? update.error : null,
    save,
    /** What was typed is given up: the next edit begins with what somebody else saved, and nothing is told of this one. */
    giveUp: () => {
      if (theirs) setBase(theirs);
      setTheirs(null);
      update.reset();
    },
  };
}

/** A quiet refresh reaches a form in which nothing was typed, and leaves the others alone. */
export function isTakenOver(
  present: Pick<Customer, 'version'>,
  form: { base: Pick<Customer, 'version'>; theirs: object | null; dirty: boolean },
): boolean {
  return !form.dirty && form.theirs === null && present.version > form.base.version;
}

/** The version to save over: what was shown last, theirs after a conflict. */
export function savedOver(base: Pick<Customer, 'version'>, theirs: Pick<Customer, 'version'> | null): number {
  return (theirs ?? base).version;
}

/** The present state that comes with a conflict. */
export function theirsOf(error: Error): Customer | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  return customerShape.safeParse(error.data).data ?? null;
}
