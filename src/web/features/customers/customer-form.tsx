import { Button, Checkbox, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { ContactFields, type ContactKind } from './contact-fields.tsx';
import type { CustomerFormValues } from './form-values.ts';
import { SaveFailure } from './save-failure.tsx';
import type { CustomerFormState } from './use-customer-form.ts';

/** Owner, Admin and Billing contacts; the latter two "Same as owner" unless the box is cleared (P1 §2). */
export function CustomerForm(props: {
  id?: string;
  form: CustomerFormState;
  saving: boolean;
  /** The server's message, shown in red under the form. */
  error: string | null;
  /** The server's complaints about fields. */
  fieldErrors?: readonly { path: string; message: string }[] | undefined;
  onSave: (values: CustomerFormValues) => void;
  /** After the contacts. */
  more?: ReactNode;
  cancel?: ReactNode;
}) {
  const { form } = props;
  const root = useRef<HTMLFormElement>(null);
  const focusFirst = (errors: Record<string, unknown>) => {
    const [first] = Object.keys(errors);
    root.current?.querySelector<HTMLElement>(`[data-path="${first}"]`)?.focus();
  };
  return (
    <form ref={root} id={props.id} noValidate onSubmit={form.onSubmit(props.onSave, focusFirst)}>
      <Stack gap="xl">
        <Section title="Owner">
          <ContactFields form={form} kind="owner" />
        </Section>
        <SameSection
          title="Admin"
          kind="admin"
          checked={form.getValues().adminSame}
          name="adminSame"
          form={form}
        />
        <SameSection
          title="Billing"
          kind="billing"
          checked={form.getValues().billingSame}
          name="billingSame"
          form={form}
        />
        {props.more}
        {props.error && <SaveFailure message={props.error} details={props.fieldErrors} />}
        <Group>
          <Button type="submit" disabled={props.saving}>
            {props.saving ? 'Saving customer...' : 'Save'}
          </Button>
          {props.cancel}
        </Group>
      </Stack>
    </form>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  );
}

function SameSection(props: {
  title: string;
  kind: ContactKind;
  checked: boolean;
  name: 'adminSame' | 'billingSame';
  form: CustomerFormState;
}) {
  return (
    <Section title={props.title}>
      <Checkbox
        label="Same as owner"
        aria-label={`${props.title}: same as owner`}
        checked={props.checked}
        mb={props.checked ? 0 : 'md'}
        onChange={(event) => props.form.setFieldValue(props.name, event.currentTarget.checked)}
      />
      {!props.checked && <ContactFields form={props.form} kind={props.kind} />}
    </Section>
  );
}
