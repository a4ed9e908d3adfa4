import { Button, Checkbox, Group, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRef, useState } from 'react';
import { grantable } from '#contracts/operations/tokens.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { faultsByField, needsFreshSignIn } from '../../lib/api-error.ts';
import { draftOf, keepDraft, useDraftUntilLeft } from '../../lib/drafts.ts';
import { FailureAlert } from '../../ui/failure.tsx';
import { onFaults } from '../../ui/first-fault.ts';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { useRefusedFields } from '../../ui/refused-fields.ts';
import { useCreateToken } from './api.ts';
import { rightName } from './right-names.ts';
import { bodyOf, emptyToken, problemsOf, tokenForm } from './token-values.ts';

/** What a new token is for: a name, rights, and perhaps one customer and an end. */
export function TokenForm(props: {
  customers: { value: string; label: string }[];
  may: readonly string[];
  /** The sign-in is asked for first, since it leaves the page. */
  oldSignIn: boolean;
  onMade: (token: string) => void;
  onCancel: () => void;
  onSignInAgain: () => void;
}) {
  const create = useCreateToken();
  const [signInFirst] = useState(props.oldSignIn);
  const [begun] = useState(() => draftOf(tokenForm, emptyToken));
  const form = useForm({
    initialValues: begun,
    validate: problemsOf,
  });
  const root = useRef<HTMLFormElement>(null);
  useRefusedFields(form, root, create.error, faultsByField);
  useDraftUntilLeft(tokenForm);
  const stale = needsFreshSignIn(create.error);
  if (signInFirst) {
    return (
      <Stack gap="md" maw={640} align="flex-start">
        <FreshSignIn what="make a token" onSignIn={props.onSignInAgain} />
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
      </Stack>
    );
  }
  return (
    <form
      ref={root}
      noValidate
      onSubmit={form.onSubmit(
        (values) =>
          create.mutate(bodyOf(values), {
            onSuccess: ({ token }) => props.onMade(token),
          }),
        onFaults,
      )}
    >
      <Stack gap="md" maw={640}>
        <TextInput
          {...form.getInputProps('name')}
          label="Name"
          withAsterisk
          autoFocus
          maxLength={mostCharacters.name}
        />
        <Checkbox.Group {...form.getInputProps('permissions')} label="Permissions" withAsterisk>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
            {grantable
              .filter((name) => props.may.includes(name))
              .map((name) => (
                <Checkbox key={name} value={name} label={rightName(name)} />
              ))}
          </SimpleGrid>
        </Checkbox.Group>
        <LongSelect
          {...form.getInputProps('customerId')}
          label="Customer"
          description="Limits the token to one customer’s domains and contacts"
          placeholder="All customers"
          clearable
          searchable
          data={props.customers}
        />
        <NumberInput
          {...form.getInputProps('validDays')}
          label="Ends after (days)"
          description="Leave empty to keep it until you revoke it"
          min={1}
          max={3650}
          allowDecimal={false}
          // What was typed stays, with what is wrong with it, when the focus goes to another field.
          clampBehavior="none"
        />
        <FailureAlert error={create.error} />
        <Group>
          {stale ? (
            <Button
              onClick={() => {
                keepDraft(tokenForm, form.getValues(), emptyToken);
                props.onSignInAgain();
              }}
            >
              Sign in again
            </Button>
          ) : (
            <Button type="submit" disabled={create.isPending}>
              {create.isPending ? 'Creating...' : 'Create token'}
            </Button>
          )}
          {/* The token comes with the answer, and only this form hands it on. */}
          <Button variant="default" disabled={create.isPending} onClick={props.onCancel}>
            Cancel
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          A token can never do more than you can. It ends when you leave the organization.
        </Text>
      </Stack>
    </form>
  );
}
