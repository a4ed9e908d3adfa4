import { useState } from 'react';
import { type Customer, customer as customerShape } from '#contracts/operations/customers.ts';
import { ApiError } from '../../lib/api-error.ts';
import { edited, type Field, merged, sameValues } from '../../lib/merge.ts';
import type { CallBody } from '../../lib/operations.ts';
import { useUpdateCustomer } from './api.ts';

/** One of the forms about a customer: what it shows of them, what it sends, and what it calls its fields. */
interface EditedPart<V extends object> {
  valuesOf: (customer: Customer) => V;
  changeOf: (values: V) => Omit<CallBody<'PATCH /customer/:id'>, 'version'>;
  fields: readonly Field<V>[];
}

/**
 * Editing over the version that was read. `base` is what the form started from. When somebody else has saved the customer
 * meanwhile, the form goes on from there: it keeps what this person has changed and shows theirs everywhere else.
 */
export function useEdit<V extends object>(
  present: Customer,
  form: { getValues: () => V; setValues: (values: V) => void },
  { valuesOf, changeOf, fields }: EditedPart<V>,
) {
  const update = useUpdateCustomer(present.customerId);
  const [base, setBase] = useState(present);
  /** What both have changed, from a conflict until it is decided. */
  const [conflict, setConflict] = useState<{ theirs: Customer; both: readonly Field<V>[] } | null>(null);
  const dirty = !sameValues(form.getValues(), valuesOf(base));
  const restart = (customer: Customer) => {
    setBase(customer);
    setConflict(null);
    form.setValues(valuesOf(customer));
  };
  if (isTakenOver(present, { base, dirty })) restart(present);

  function save(values: V, onSaved?: () => void): void {
    update.mutate(
      { ...changeOf(values), version: base.version },
      {
        onSuccess: (saved) => {
          restart(saved);
          onSaved?.();
        },
        onError: (error) => {
          const theirs = theirsOf(error);
          if (!theirs) return setConflict(null);
          const versions = { base: valuesOf(base), mine: form.getValues(), theirs: valuesOf(theirs) };
          const { values: both, clashes } = merged(fields, versions);
          setBase(theirs);
          form.setValues(both);
          setConflict({ theirs, both: clashes });
        },
      },
    );
  }

  return {
    dirty,
    differences: conflict && edited(conflict.both, valuesOf(conflict.theirs), form.getValues()),
    saving: update.isPending,
    saved: update.isSuccess && !dirty,
    /** The server's message; a conflict has its own notice. */
    error: conflict === null ? update.error : null,
    save,
    /** Where both have changed a field, theirs counts. What else was typed stays. */
    takeTheirs: () => {
      if (!conflict) return;
      const theirs = valuesOf(conflict.theirs);
      form.setValues(conflict.both.reduce((values, field) => field.take(values, theirs), form.getValues()));
      setConflict(null);
      update.reset();
    },
    /** What was typed is given up: the next edit begins with what somebody else saved, and nothing is told of this one. */
    giveUp: () => {
      restart(base);
      update.reset();
    },
  };
}

/** A quiet refresh reaches a form in which nothing was typed, and leaves the others alone. */
export function isTakenOver(
  present: Pick<Customer, 'version'>,
  form: { base: Pick<Customer, 'version'>; dirty: boolean },
): boolean {
  return !form.dirty && present.version > form.base.version;
}

/** The present state that comes with a conflict. */
export function theirsOf(error: Error): Customer | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  return customerShape.safeParse(error.data).data ?? null;
}
