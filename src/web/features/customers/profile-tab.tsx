import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Customer } from '#contracts/operations/customers.ts';
import { Card } from '../../ui/card.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { ContactsRead } from './contacts-read.tsx';
import { CustomerForm } from './customer-form.tsx';
import { type CustomerFormValues, contactEntries, contactsOf, formOf } from './form-values.ts';
import { useCustomerForm } from './use-customer-form.ts';
import { useEdit } from './use-edit.ts';

const formId = 'customer-profile';
const toFirstField = () => document.getElementById(formId)?.querySelector('input')?.focus();

/** Profile tab (P1 §2): the three contacts, read first and edited on demand. */
export function ProfileTab({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const [editing, setEditing] = useState(false);
  const [wasEdited, setWasEdited] = useState(false);
  const form = useCustomerForm(formOf(customer));
  const edit = useEdit(customer, form, contacts);
  // The button that opened the form is gone.
  useEffect(() => {
    if (editing) toFirstField();
  }, [editing]);
  const close = () => {
    setWasEdited(true);
    setEditing(false);
  };
  const cancel = () => {
    edit.giveUp();
    close();
  };
  if (!editing) {
    return (
      <Card
        title="Contacts"
        end={
          mayEdit && (
            // Back from the form, the next step is here again.
            <Button size="xs" variant="default" autoFocus={wasEdited} onClick={() => setEditing(true)}>
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
      <UnsavedGuard dirty={edit.dirty} question="Leave without saving this customer?" />
      <Stack>
        <CustomerForm
          id={formId}
          form={form}
          saving={edit.saving}
          error={edit.error}
          onSave={(values) => edit.save(values, close)}
          cancel={
            <Button variant="default" disabled={edit.saving} onClick={cancel}>
              Cancel
            </Button>
          }
        />
        {edit.differences && (
          <ConflictNotice
            differences={edit.differences}
            saving={edit.saving}
            formId={formId}
            onTakeTheirs={edit.takeTheirs}
          />
        )}
      </Stack>
    </Card>
  );
}

const contacts = {
  valuesOf: formOf,
  changeOf: (values: CustomerFormValues) => ({ contacts: contactsOf(values) }),
  fields: contactEntries,
};
