import { Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { type UserRow, userRow } from '#contracts/operations/users.ts';
import type { Role } from '#contracts/permissions.ts';
import { moneyText } from '#contracts/values/format.ts';
import { ApiError, needsFreshSignIn } from '../../lib/api-error.ts';
import { draftOf, keepDraft, useDraftUntilLeft } from '../../lib/drafts.ts';
import { merged } from '../../lib/merge.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import {
  changesOf,
  fieldErrors,
  grantable,
  problemsOf,
  shownOf,
  type UserValues,
  userFields,
  valuesOf,
} from './change-values.ts';
import { useChangeUser } from './people-api.ts';
import { roleNames } from './people-tables.tsx';

interface ChangeUserProps {
  user: UserRow;
  /** The type of the acting person, and whether there is an owner yet. Both decide which types they may assign. */
  by: Role;
  ownerless: boolean;
  /** The type to start with, after a sign-in that was asked for. */
  wanted: Role | null;
  /** Undefined until they are read. */
  customers: { value: string; label: string }[] | undefined;
  /** Says where they could not be read. */
  unread: ReactNode;
  onSignInAgain: (type: Role) => void;
  onClose: () => void;
}

/** A user's type, customer and daily limit. A change applies from their next request. */
export function ChangeUser(props: ChangeUserProps) {
  const { user } = props;
  const { onClose } = props;
  const draft = draftNameOf(user);
  useDraftUntilLeft(draft);
  const change = useChangeUser();
  const stale = needsFreshSignIn(change.error);
  const form = useChangeForm(props);
  // What the dialog began with: the list may be read again while it is open.
  const [before, setBefore] = useState(() => valuesOf(user, null));
  const theirs = theirsOf(change.error);
  const { type } = form.getValues();
  const signInAgain = () => {
    keepDraft(draft, form.getValues(), before);
    props.onSignInAgain(type);
  };
  const save = form.onSubmit((values) => {
    const body = changesOf(values, before);
    if (Object.keys(body).length === 0) return onClose();
    change.mutate(
      { id: user.userId, body: { ...body, shown: shownOf(body, before) } },
      {
        onSuccess: onClose,
        onError: (error) => {
          const present = theirsOf(error);
          if (!present) return form.setErrors(error instanceof ApiError ? fieldErrors(error.details) : {});
          // What this person changed stays, and everything else is theirs. Saving again replaces what is shown by then.
          const now = valuesOf(present, null);
          form.setValues(merged(userFields, { base: before, mine: form.getValues(), theirs: now }).values);
          setBefore(now);
        },
      },
    );
  });
  return (
    <FormDialog
      title={`Change ${user.email}`}
      submitLabel="Save"
      runningLabel="Saving..."
      running={change.isPending}
      error={stale ? null : change.error}
      onSubmit={save}
      onClose={onClose}
    >
      <Select
        {...form.getInputProps('type')}
        label="Type"
        allowDeselect={false}
        data={grantable(user.type, props).map((value) => ({ value, label: roleNames[value] ?? value }))}
      />
      {type === 'MSP_CUSTOMER' && (
        <>
          {props.unread}
          <LongSelect
            {...form.getInputProps('customer')}
            label="Customer"
            withAsterisk
            searchable
            data={props.customers ?? []}
            nothingFoundMessage={props.customers && 'No customers found'}
          />
        </>
      )}
      {type === 'MSP_EMPLOYEE' && (
        <TextInput
          {...form.getInputProps('limit')}
          label="Daily limit"
          description="US dollars a day for purchases, renewals and transfers. Leave empty for no limit."
          inputMode="decimal"
          autoComplete="off"
        />
      )}
      {theirs && (
        <Text size="sm" role="status">
          They are now: {textOf(theirs, props.customers)}. Save again to replace it.
        </Text>
      )}
      {stale && <FreshSignIn what="change the owner" onSignIn={signInAgain} />}
    </FormDialog>
  );
}

/** The user as a colleague has left them, where that is why nothing was saved. */
function theirsOf(error: Error | null): UserRow | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  return userRow.safeParse(error.data).data ?? null;
}

function textOf(user: UserRow, customers: ChangeUserProps['customers']): string {
  const { type, authorizedClientId: customer, dailyLimit } = user;
  const about = {
    MSP_CUSTOMER: customers?.find(({ value }) => value === customer)?.label,
    MSP_EMPLOYEE: dailyLimit === null ? 'no daily limit' : `at most ${moneyText(dailyLimit)} a day`,
  }[type as string];
  return [roleNames[type] ?? type, about].filter(Boolean).join(', ');
}

/** What was typed is kept while the person signs in again; the address names the user. */
const draftNameOf = ({ userId }: UserRow) => `user.${userId}`;

function useChangeForm({ user, wanted }: ChangeUserProps) {
  const [begun] = useState(() => draftOf(draftNameOf(user), valuesOf(user, wanted)));
  return useForm<UserValues>({
    initialValues: begun,
    validateInputOnBlur: true,
    validate: problemsOf,
  });
}
