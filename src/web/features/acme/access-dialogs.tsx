import { type ReactNode, useState } from 'react';
import type { AcmeAccess, AcmeAllowance } from '#contracts/operations/acme.ts';
import { ApiError, needsFreshSignIn } from '../../lib/api-error.ts';
import { draftOf, forgetDraft, keepDraft, useDraftUntilLeft } from '../../lib/drafts.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { AccessFields, AccessFieldsOf, useAccessForm } from './access-form.tsx';
import { useAllowance, useChangeAccess, useMakeAccess, useRevokeAccess } from './api.ts';
import {
  bodyOf,
  changeFormOf,
  changesOf,
  fieldErrors,
  newAccessForm,
  newValues,
  valuesOf,
} from './form-values.ts';

/** Beside the fields that they are about; the dialog says the rest. */
const faultsIn = (error: unknown) =>
  error instanceof ApiError ? fieldErrors(error.details) : ({} as Record<string, string>);

/** An access for one customer: the key is shown by `onMade`, once. */
export function MakeAccess(props: {
  /** Null for a customer's own user, who has but one. */
  customers: { value: string; label: string }[] | null;
  /** Says where they could not be read. */
  unread: ReactNode;
  customerId: string | null;
  /** What a customer's own user may make. */
  allowance: AcmeAllowance;
  /** The sign-in is asked for first, since it leaves the page. */
  oldSignIn: boolean;
  onMade: (access: AcmeAccess & { hmacKey: string }) => void;
  onSignInAgain: () => void;
  onClose: () => void;
}) {
  const staff = props.customers !== null;
  const make = useMakeAccess();
  const [signInFirst] = useState(props.oldSignIn);
  const most = props.allowance?.mayBuy ?? null;
  const [before] = useState(() => newValues(props.customerId, staff || most !== null));
  const [draft] = useState(() => newAccessForm(props.customerId));
  const [begun] = useState(() => draftOf(draft, before));
  useDraftUntilLeft(draft);
  const form = useAccessForm(begun, staff);
  const stale = needsFreshSignIn(make.error);
  if (signInFirst) {
    return (
      <Dialog opened onClose={props.onClose} title="New ACME access" centered>
        <FreshSignIn what="make an access" onSignIn={props.onSignInAgain} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="New ACME access"
      submitLabel="Make access"
      runningLabel="Making access..."
      running={make.isPending}
      error={stale ? null : make.error}
      // The key comes with the answer, and only this dialog hands it on.
      onClose={props.onClose}
      onSubmit={form.onSubmit((values) =>
        make.mutate(bodyOf(values, staff), {
          onSuccess: (made) => {
            // Its page takes a moment to come.
            forgetDraft(draft);
            props.onMade(made);
          },
          onError: (error) => form.setErrors(faultsIn(error)),
        }),
      )}
    >
      {props.unread}
      {props.customers && (
        <LongSelect
          {...form.getInputProps('customerId')}
          label="Customer"
          withAsterisk
          searchable
          data={props.customers}
        />
      )}
      <AccessFields form={form} staff={staff} most={most} />
      {stale && (
        <FreshSignIn
          what="make an access"
          onSignIn={() => {
            keepDraft(draft, form.getValues(), before);
            props.onSignInAgain();
          }}
        />
      )}
    </FormDialog>
  );
}

export function ChangeAccess(props: {
  access: AcmeAccess;
  staff: boolean;
  /** Said first, since signing in leaves the page. To narrow an access needs none. */
  oldSignIn: boolean;
  onSignInAgain: () => void;
  onClose: () => void;
}) {
  const { access, staff, onClose } = props;
  const change = useChangeAccess(access.id);
  const [before] = useState(() => valuesOf(access));
  const [saidFirst] = useState(props.oldSignIn);
  const draft = changeFormOf(access);
  const [begun] = useState(() => draftOf(draft, before));
  useDraftUntilLeft(draft);
  const form = useAccessForm(begun, staff);
  const allowance = useAllowance(staff ? null : access.customerId);
  const stale = needsFreshSignIn(change.error);
  const signInAgain = () => {
    keepDraft(draft, form.getValues(), before);
    props.onSignInAgain();
  };
  return (
    <FormDialog
      title="Change access"
      submitLabel="Save"
      runningLabel="Saving..."
      running={change.isPending}
      error={stale ? null : change.error}
      // Nothing is sent that is not seen: a draft may hold what the allowance decides about.
      unread={!staff && allowance.data === undefined}
      onClose={onClose}
      onSubmit={form.onSubmit((values) =>
        change.mutate(changesOf(values, before, staff), {
          onSuccess: onClose,
          onError: (error) => form.setErrors(faultsIn(error)),
        }),
      )}
    >
      {saidFirst && !stale && <FreshSignIn what="let an access do more" onSignIn={signInAgain} />}
      <AccessFieldsOf access={access} form={form} allowance={staff ? null : allowance} />
      {stale && <FreshSignIn what="let an access do more" onSignIn={signInAgain} />}
    </FormDialog>
  );
}

/** What ends and what stays, before it happens. */
export function RevokeAccess({ access, onClose }: { access: AcmeAccess | null; onClose: () => void }) {
  const revoke = useRevokeAccess();
  const close = () => {
    onClose();
    revoke.reset();
  };
  return (
    <ConfirmDialog
      opened={access !== null}
      title="Revoke access"
      confirmLabel="Revoke"
      runningLabel="Revoking..."
      running={revoke.isPending}
      error={revoke.error}
      danger
      onClose={close}
      onConfirm={() => access && revoke.mutate(access.id, { onSuccess: close })}
    >
      Machines that use “{access?.name}” are refused from their next request on, and their accounts end. Their
      certificates stay valid until they expire, and are no longer renewed. This cannot be undone.
    </ConfirmDialog>
  );
}
