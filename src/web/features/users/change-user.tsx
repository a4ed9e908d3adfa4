import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UserRow } from '#contracts/operations/users.ts';
import { type Role, roles } from '#contracts/permissions.ts';
import { decimalTextToCents, formatCents } from '#contracts/values/money.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useChangeUser } from './people-api.ts';
import { roleNames } from './people-tables.tsx';

interface ChangeUserProps {
  user: UserRow;
  /** What the acting person is, and whether anybody is owner yet: that decides what he may name. */
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

/** What a user is, for which customer, and what an employee may spend a day; it holds from his next request on. */
export function ChangeUser(props: ChangeUserProps) {
  const { user, onClose } = props;
  const change = useChangeUser();
  const stale = change.error instanceof ApiError && change.error.code === 'fresh_sign_in_required';
  const form = useChangeForm(props);
  const { type } = form.getValues();
  const save = form.onSubmit((values) =>
    change.mutate({ id: user.userId, body: bodyOf(values) }, { onSuccess: onClose }),
  );
  return (
    <Modal opened onClose={onClose} title={`Change ${user.email}`} centered>
      <form noValidate onSubmit={save}>
        <Stack>
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
              description="US dollars a day for purchases, renewals and transfers. Empty: no limit."
              inputMode="decimal"
              autoComplete="off"
            />
          )}
          {stale ? (
            <FreshSignIn onSignIn={() => props.onSignInAgain(type)} />
          ) : (
            change.error && (
              <Alert color="red" variant="light" role="alert">
                {change.error.message}
              </Alert>
            )
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={change.isPending}>
              {change.isPending ? 'Saving...' : 'Save'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Design, security: who is owner changes only after a sign-in of the last 15 minutes. */
function FreshSignIn({ onSignIn }: { onSignIn: () => void }) {
  return (
    <Alert color="yellow" variant="light" role="alert">
      <Text size="sm" mb="xs">
        For your safety, please sign in again to change who is owner.
      </Text>
      <Button size="xs" onClick={onSignIn}>
        Sign in again
      </Button>
    </Alert>
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
      limit: user.dailyLimit === null ? '' : formatCents(user.dailyLimit),
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
