import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Customer } from '#contracts/operations/customers.ts';
import { type Contact, contactFields } from '#contracts/values/contact.ts';
import { ApiError } from '../../lib/api-error.ts';
import { Card } from '../../ui/card.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { ConflictNotice, type Difference } from './conflict-notice.tsx';
import { ContactsRead } from './contacts-read.tsx';
import { CustomerForm } from './customer-form.tsx';
import { type CustomerFormValues, contactsOf, formOf } from './form-values.ts';
import { useEdit } from './use-edit.ts';

const formId = 'customer-profile';
const toFirstField = () => document.getElementById(formId)?.querySelector('input')?.focus();

/** Profile tab (P1 §2): the three contacts, read first and edited on demand. */
export function ProfileTab({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const [editing, setEditing] = useState(false);
  const [dirty, setDirty] = useState(false);
  const [typed, setTyped] = useState<CustomerFormValues | null>(null);
  // Another form, with its own starting values, only when what was typed is saved or given up.
  const [round, setRound] = useState(0);
  const edit = useEdit(customer, dirty);
  // The button that opened the form is gone.
  useEffect(() => {
    if (editing) toFirstField();
  }, [editing]);
  const restart = () => {
    setDirty(false);
    setRound((now) => now + 1);
  };
  const close = () => {
    restart();
    setEditing(false);
  };
  const cancel = () => {
    edit.giveUp();
    close();
  };
  const save = (values: CustomerFormValues) => {
    setTyped(values);
    edit.save({ contacts: contactsOf(values) }, close);
  };
  const { theirs } = edit;
  if (!editing) {
    return (
      <Card
        title="Contacts"
        end={
          mayEdit && (
            // Back from the form, the next step is here again.
            <Button size="xs" variant="default" autoFocus={round > 0} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )
        }
      >
        <ContactsRead customer={customer} />
        {edit.saved && (
          <Text role="status" c="dimmed" size="sm" mt="sm">
            Saved.
          </Text>
        )}
      </Card>
    );
  }
  return (
    <Card title="Contacts">
      <UnsavedGuard dirty={dirty} question="Leave without saving this customer?" />
      <Stack>
        <CustomerForm
          id={formId}
          key={`${round}.${edit.base.version}`}
          initial={formOf(edit.base)}
          saving={edit.saving}
          error={edit.error?.message ?? null}
          fieldErrors={edit.error instanceof ApiError ? edit.error.details : undefined}
          onDirty={setDirty}
          onSave={(values) => save(values)}
          cancel={
            <Button variant="default" disabled={edit.saving} onClick={cancel}>
              Cancel
            </Button>
          }
        />
        {theirs && typed && (
          <ConflictNotice
            differences={differencesOf(theirs.contacts, contactsOf(typed))}
            saving={edit.saving}
            formId={formId}
            onTakeTheirs={() => {
              edit.giveUp();
              restart();
              // Of the form that takes this one's place; the notice goes, with the button in it.
              requestAnimationFrame(toFirstField);
            }}
          />
        )}
      </Stack>
    </Card>
  );
}

type ShownContacts = Record<'owner' | 'admin' | 'billing', { [F in keyof Contact]: Contact[F] }>;

function differencesOf(theirs: Customer['contacts'], mine: ShownContacts): Difference[] {
  const kinds = ['owner', 'admin', 'billing'] as const;
  return kinds.flatMap((kind) =>
    contactFields
      .filter((field) => theirs[kind][field] !== mine[kind][field])
      .map((field) => ({
        label: `${kindNames[kind]}: ${fieldNames[field]}`,
        theirs: theirs[kind][field],
        mine: mine[kind][field],
      })),
  );
}

const kindNames = { owner: 'Owner', admin: 'Admin', billing: 'Billing' };
const fieldNames: Record<(typeof contactFields)[number], string> = {
  organization: 'Company',
  firstName: 'First name',
  lastName: 'Last name',
  address1: 'Address line 1',
  city: 'City',
  state: 'State',
  postalCode: 'Postal code',
  country: 'Country',
  email: 'Email',
  phone: 'Phone',
};
