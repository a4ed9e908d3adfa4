import { Button, Checkbox, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { faultsByField, faultsOfNoField } from '../../lib/api-error.ts';
import { useRefusedFields } from '../../ui/refused-fields.ts';
import { ContactFields, type ContactKind } from './contact-fields.tsx';
import { type CustomerFormValues, contactFieldOf } from './form-values.ts';
import { SaveFailure } from './save-failure.tsx';
import type { CustomerFormState } from './use-customer-form.ts';

/** Owner, Admin and Billing contacts; the latter two "Same as owner" unless the box is cleared (P1 §2). */
export function CustomerForm(props: {
  id?: string;
  form: CustomerFormState;
  saving: boolean;
  /** Why it was not saved: said at the fields that are refused, and under the form. */
  error: Error | null;
  onSave: (values: CustomerFormValues) => void;
  /** After the contacts. */
  more?: ReactNode;
  /** Which field in there a path of the request is. */
  moreFieldOf?: (path: string) => string | null;
  cancel?: ReactNode;
}) {
  const { form, error } = props;
  const root = useRef<HTMLFormElement>(null);
  const fieldOf = (path: string) => contactFieldOf(path, form.getValues());
  useRefusedFields(form, root, error, (refusal) => faultsByField(refusal, fieldOf));
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
        {error && (
          <SaveFailure
            message={error.message}
            more={faultsOfNoField(error, (path) => fieldOf(path) ?? props.moreFieldOf?.(path) ?? null)}
          />
        )}
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
