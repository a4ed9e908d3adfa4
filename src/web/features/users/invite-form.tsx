import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useRef } from 'react';
import { inviteBody } from '#contracts/operations/users.ts';
import { faultsByField } from '../../lib/api-error.ts';
import { FailureAlert } from '../../ui/failure.tsx';
import { onFaults } from '../../ui/first-fault.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import { useRefusedFields } from '../../ui/refused-fields.ts';
import { showToast } from '../../ui/toast-store.ts';
import { useInviteUser } from './people-api.ts';
import { roleNames } from './people-tables.tsx';

const types = ['MSP_EMPLOYEE', 'MSP_CUSTOMER'] as const;

/** 'Add new user' (P2 §2): email required, type, and the customer for a customer's own user. */
export function InviteForm(props: {
  /** Undefined until they are read. */
  customers: { value: string; label: string }[] | undefined;
  /** Says where they could not be read. */
  unread: ReactNode;
  cancel: ReactNode;
  onDone: () => void;
}) {
  const invite = useInviteUser();
  const form = useForm({
    initialValues: { email: '', type: 'MSP_EMPLOYEE', authorizedClientId: null as string | null },
    validateInputOnBlur: true,
    validate: (values: { email: string; type: string; authorizedClientId: string | null }) => {
      const errors: Record<string, string> = {};
      for (const issue of inviteBody.safeParse(values).error?.issues ?? []) {
        errors[String(issue.path[0])] ??= issue.message;
      }
      return errors;
    },
  });
  const root = useRef<HTMLFormElement>(null);
  useRefusedFields(form, root, invite.error, faultsByField);
  return (
    <form
      ref={root}
      noValidate
      onSubmit={form.onSubmit((values) => {
        const body = inviteBody.parse(values);
        const onSuccess = () => {
          // On a small screen the list that shows it is far below.
          showToast({ text: `The invitation to ${body.email} was sent.` });
          props.onDone();
        };
        invite.mutate(body, { onSuccess });
      }, onFaults)}
    >
      <Stack gap="md" maw={420}>
        <TextInput
          {...form.getInputProps('email')}
          label="Email"
          withAsterisk
          autoFocus
          type="email"
          autoComplete="off"
        />
        <Select
          {...form.getInputProps('type')}
          label="Type"
          allowDeselect={false}
          data={types.map((value) => ({ value, label: roleNames[value] ?? value }))}
        />
        {form.getValues().type === 'MSP_CUSTOMER' && (
          <>
            {props.unread}
            <LongSelect
              {...form.getInputProps('authorizedClientId')}
              label="Customer"
              withAsterisk
              searchable
              data={props.customers ?? []}
              nothingFoundMessage={props.customers && 'No customers found'}
            />
          </>
        )}
        <FailureAlert error={invite.error} />
        <Group>
          <Button type="submit" disabled={invite.isPending}>
            {invite.isPending ? 'Inviting...' : 'Invite User'}
          </Button>
          {props.cancel}
        </Group>
      </Stack>
    </form>
  );
}
