import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useRef } from 'react';
import { createProfile } from '#contracts/operations/users.ts';
import { faultsByField } from '../../lib/api-error.ts';
import { FailureAlert } from '../../ui/failure.tsx';
import { onFaults } from '../../ui/first-fault.ts';
import { useRefusedFields } from '../../ui/refused-fields.ts';
import { useCreateProfile } from './api.ts';

/** The Create Account fields (P2 §5), with the contract's own messages. */
export function ProfileForm(props: {
  email: string;
  submitLabel: string;
  /** Shown below the fields. */
  extra?: ReactNode;
  onDone: () => void;
}) {
  const create = useCreateProfile();
  const root = useRef<HTMLFormElement>(null);
  const form = useForm({
    initialValues: { username: '', organization: '' },
    validateInputOnBlur: true,
    validate: (values) => {
      const parsed = createProfile.body.safeParse(values);
      const errors: Record<string, string> = {};
      for (const issue of parsed.error?.issues ?? []) errors[String(issue.path[0])] ??= issue.message;
      return errors;
    },
  });
  // The new profile may take this form away before its own callbacks would run.
  const submit = (values: { username: string; organization: string }) =>
    create.mutateAsync(values).then(props.onDone, () => undefined);
  useRefusedFields(form, root, create.error, faultsByField);
  return (
    <form ref={root} noValidate onSubmit={form.onSubmit((values) => void submit(values), onFaults)}>
      <Stack gap="md">
        <TextInput label="Email" value={props.email} disabled type="email" />
        <TextInput
          {...form.getInputProps('username')}
          label="Username"
          withAsterisk
          autoComplete="username"
          maxLength={60}
        />
        <TextInput
          {...form.getInputProps('organization')}
          label="Organization"
          withAsterisk
          autoComplete="organization"
          maxLength={60}
        />
        {props.extra}
        <FailureAlert error={create.error} />
        <Button type="submit" disabled={create.isPending} style={{ alignSelf: 'flex-start' }}>
          {create.isPending ? 'Creating account...' : props.submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
