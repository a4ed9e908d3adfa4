import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UserRow } from '#contracts/operations/users.ts';
import { type Role, roles } from '#contracts/permissions.ts';
import { decimalText } from '#contracts/values/format.ts';
import { decimalTextToCents } from '#contracts/values/money.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { useChangeUser } from './people-api.ts';
import { roleNames } from './people-tables.tsx';

interface ChangeUserProps {
  user: UserRow;
  /** The type of the acting person, and whether there is an owner yet. Both decide which types they may assign. */
  by: Role;
  ownerless: boolean;
  /** The type to start with, after a sign-in that was asked for. */
  wanted: Role | null;
  customers: { value: string; label: string }[];
  onSignInAgain: (type: Role) => void;
  onClose: () => void;
}

/** Design, permission table: an owner names owners and administrators; an administrator the first owner only. */
function grantable({ user, by, ownerless }: Pick<ChangeUserProps, 'user' | 'by' | 'ownerless'>): Role[] {
  if (by === 'MSP_OWNER') return [...roles];
  return roles.filter(
    (role) => role === user.type || (role === 'MSP_OWNER' ? ownerless : role !== 'MSP_ADMIN'),
  );
}

/** A user's type, customer and daily limit. A change applies from their next request. */
export function ChangeUser(props: ChangeUserProps) {
  const { user, onClose } = props;
  const change = useChangeUser();
  const stale = needsFreshSignIn(change.error);
  const form = useChangeForm(props);
  const { type } = form.getValues();
  const save = form.onSubmit((values) =>
    change.mutate({ id: user.userId, body: bodyOf(values) }, { onSuccess: onClose }),
  );
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
        data={grantable(props).map((value) => ({ value, label: roleNames[value] ?? value }))}
      />
      {type === 'MSP_CUSTOMER' && (
        <Select
          {...form.getInputProps('customer')}
          label="Customer"
          withAsterisk
          searchable
          data={props.customers}
          nothingFoundMessage="No customers found"
        />
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
      {stale && <FreshSignIn what="change the owner" onSignIn={() => props.onSignInAgain(type)} />}
    </FormDialog>
  );
}

interface Values {
  type: Role;
  customer: string | null;
  limit: string;
}

function useChangeForm({ user, wanted }: ChangeUserProps) {
  return useForm<Values>({
    initialValues: {
      type: wanted ?? user.type,
      customer: user.authorizedClientId,
      limit: user.dailyLimit === null ? '' : decimalText(user.dailyLimit),
    },
    validateInputOnBlur: true,
    validate: {
      customer: (customer, { type }) =>
        type === 'MSP_CUSTOMER' && !customer ? 'Please choose the customer' : null,
      limit: (limit, { type }) =>
        type !== 'MSP_EMPLOYEE' || limit.trim() === '' || centsOf(limit) !== null
          ? null
          : 'Please enter an amount such as 250.00',
    },
  });
}

/** Cents of an amount that is not negative; null when it is none. */
function centsOf(text: string): number | null {
  const cents = decimalTextToCents(text.replaceAll(',', '').trim());
  return cents === null || cents < 0 ? null : cents;
}

function bodyOf({ type, customer, limit }: Values) {
  if (type === 'MSP_CUSTOMER') return { type, authorizedClientId: customer };
  return type === 'MSP_EMPLOYEE' ? { type, dailyLimit: centsOf(limit) } : { type };
}
