import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import type { DomainDetails, RegistryContact } from '#contracts/operations/domain-settings.ts';
import { startsRegistrantLock } from '#contracts/values/contact.ts';
import { ContactFields } from '../features/customers/contact-fields.tsx';
import { type CustomerFormState, useCustomerForm } from '../features/customers/use-customer-form.ts';
import { useSetContacts } from '../features/domains/api.ts';
import { toContact } from '../features/domains/contact-values.ts';
import { type ContactType, contactTitles } from '../features/domains/contacts-section.tsx';
import { faultsByField } from '../lib/api-error.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FailureAlert } from '../ui/failure.tsx';
import { useRefusedFields } from '../ui/refused-fields.ts';

/** Each contact that was sent is the same one: what is wrong with it stands at the fields of the form. */
const fieldOf = (path: string) => `contacts.owner.${path.split('.').at(-1)}`;

/** Changes one contact of a domain; the same form as a customer's, because the registry asks for the same. */
export default function DomainContactDialog(props: {
  details: DomainDetails;
  type: ContactType;
  shown: RegistryContact;
  onClose: () => void;
}) {
  const { details, type } = props;
  const [before] = useState(() => toContact(props.shown));
  const root = useRef<HTMLFormElement>(null);
  const save = useSetContacts(details.domain);
  const [also, setAlso] = useState<ContactType[]>([]);
  const same = { owner: before, admin: before, billing: before };
  const form = useCustomerForm({ contacts: same, adminSame: true, billingSame: true });
  useRefusedFields(form, root, save.error, (refusal) => faultsByField(refusal, fieldOf));
  const typed = form.getValues().contacts.owner;
  const ownerChanges = type === 'owner' || also.includes('owner');
  const ownerNow = details.contact_set.owner;
  const locks = ownerChanges && ownerNow && startsRegistrantLock(toContact(ownerNow), typed);

  const submit = () => {
    const changed = Object.fromEntries([type, ...also].map((name) => [name, typed]));
    save.mutate(changed, {
      onSuccess: ({ notice }) => notice === null && props.onClose(),
    });
  };
  const focusFirst = (errors: Record<string, unknown>) =>
    root.current?.querySelector<HTMLElement>(`[data-path="${Object.keys(errors)[0]}"]`)?.focus();
  return (
    <Dialog
      opened
      onClose={props.onClose}
      title={`Change the ${contactTitles[type]} contact`}
      size="lg"
      running={save.isPending}
      closeOnClickOutside={false}
    >
      <form ref={root} noValidate onSubmit={form.onSubmit(submit, focusFirst)}>
        <Stack>
          <ContactFields form={form} kind="owner" />
          <FurtherLines form={form} />
          <Checkbox.Group
            label="Use the same contact for"
            value={also}
            onChange={(names) => setAlso(names as ContactType[])}
          >
            <Group gap="md" mt={4}>
              {(Object.keys(contactTitles) as ContactType[])
                .filter((name) => name !== type && details.contact_set[name])
                .map((name) => (
                  <Checkbox key={name} value={name} label={contactTitles[name]} />
                ))}
            </Group>
          </Checkbox.Group>
          {locks && <LockWarning days={details.registrant_lock_days} />}
          <FailureAlert error={save.error} />
          {save.data?.notice && (
            <Alert color="yellow" variant="light" role="status">
              {save.data.notice}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={save.isPending} onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={save.isPending || (!form.isDirty() && also.length === 0)}>
              {save.isPending ? 'Saving contact...' : locks ? 'Save and accept the lock' : 'Save contact'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** What registrars keep beside the customer's form. */
function FurtherLines({ form }: { form: CustomerFormState }) {
  return (
    <Group grow align="flex-start">
      {(['address2', 'address3'] as const).map((field) => (
        <TextInput
          key={field}
          {...form.getInputProps(`contacts.owner.${field}`)}
          label={`Address line ${field.slice(-1)}`}
          autoComplete={`address-line${field.slice(-1)}`}
          data-path={`contacts.owner.${field}`}
        />
      ))}
    </Group>
  );
}

function LockWarning({ days }: { days: number }) {
  return (
    <Alert color="yellow" variant="light" role="status" title="This changes the registrant">
      <Text size="sm">
        {days > 0 &&
          `A change of the owner's name, organization or email locks the domain. It cannot move to another registrar for ${days} days. `}
        The new owner gets an email and must confirm the address within 15 days. Otherwise the domain is
        suspended.
      </Text>
    </Alert>
  );
}
