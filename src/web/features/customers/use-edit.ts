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
  // A quiet refresh reaches a form in which nothing was typed, and leaves the others alone.
  if (!dirty && theirs === null && present.version > base.version) setBase(present);

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
    takeTheirs: () => {
      if (theirs) setBase(theirs);
      setTheirs(null);
      update.reset();
    },
  };
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
