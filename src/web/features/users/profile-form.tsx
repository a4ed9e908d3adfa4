import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { createProfile } from '#contracts/operations/users.ts';
import { useCreateProfile } from './api.ts';

/** The Create Account fields (P2 §5), with the contract's own messages. */
export function ProfileForm(props: { email: string; submitLabel: string; onDone: () => void }) {
  const create = useCreateProfile();
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
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate(values, { onSuccess: props.onDone }))}>
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
        {create.error && (
          <Alert color="red" variant="light" role="alert">
            {create.error.message}
          </Alert>
        )}
        <Button type="submit" disabled={create.isPending} style={{ alignSelf: 'flex-start' }}>
          {create.isPending ? 'Creating account...' : props.submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
