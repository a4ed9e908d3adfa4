import { Anchor, Group, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Contact } from '#contracts/values/contact.ts';
import { cleanedContactValue, suggestedContactValue } from '#contracts/values/contact-suggestions.ts';
import { countries, findCountry } from '#contracts/values/countries.ts';
import { isInternational, movedPhone, splitPhone, storedPhone, typedPhone } from '#contracts/values/phone.ts';
import { regionsOf } from '#contracts/values/regions.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import { contactLabels } from './contact-labels.ts';
import type { CustomerFormState as Form } from './use-customer-form.ts';

export type ContactKind = 'owner' | 'admin' | 'billing';

const countryOptions = countries.map((country) => ({ value: country.code, label: country.name }));

/** Text fields in the order of a letter's head, with what the browser may fill in. */
const textFields = [
  { name: 'organization', autoComplete: 'organization' },
  { name: 'firstName', autoComplete: 'given-name' },
  { name: 'lastName', autoComplete: 'family-name' },
  { name: 'email', autoComplete: 'email' },
  { name: 'address1', autoComplete: 'address-line1' },
  { name: 'city', autoComplete: 'address-level2' },
  { name: 'state', autoComplete: 'address-level1' },
  { name: 'postalCode', autoComplete: 'postal-code' },
] as const;

/** One contact (P1 §5). The dial code follows the country. */
export function ContactFields({ form, kind }: { form: Form; kind: ContactKind }) {
  const path = (field: string) => `contacts.${kind}.${field}`;
  const section = kind === 'owner' ? '' : `section-${kind} `;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      {textFields.map((field) =>
        field.name === 'state' && regionsOf(form.getValues().contacts[kind].country) ? (
          <RegionField
            key={field.name}
            form={form}
            kind={kind}
            autoComplete={`${section}${field.autoComplete}`}
          />
        ) : (
          <div key={field.name}>
            <TextInput
              {...form.getInputProps(path(field.name))}
              label={contactLabels[field.name]}
              withAsterisk
              type={field.name === 'email' ? 'email' : 'text'}
              autoComplete={`${section}${field.autoComplete}`}
              data-path={path(field.name)}
              // In a dialog the first field has the focus, and not what closes it.
              data-autofocus={field.name === 'organization' || undefined}
              onChange={(event) => {
                const { value } = event.currentTarget;
                // P1 §5: postal code input is stripped of non-alphanumerics.
                const kept = field.name === 'postalCode' ? cleanedContactValue('postalCode', value) : value;
                form.setFieldValue(path(field.name), kept);
              }}
            />
            <CleanedOffer form={form} kind={kind} field={field.name} />
          </div>
        ),
      )}
      <LongSelect
        {...form.getInputProps(path('country'))}
        label={contactLabels.country}
        withAsterisk
        searchable
        allowDeselect={false}
        nothingFoundMessage="No such country"
        data={countryOptions}
        autoComplete={`${section}country`}
        data-path={path('country')}
        onChange={(code) => {
          const { country, state } = form.getValues().contacts[kind];
          form.setFieldValue(path('country'), code ?? '');
          // A state that was picked from the former country's list is none of this one's.
          if (code !== country && regionsOf(country)?.some((region) => region.code === state)) {
            form.setFieldValue(path('state'), '');
          }
          const { phone } = form.getValues().contacts[kind];
          form.setFieldValue(path('phone'), movedPhone(phone, country, code ?? ''));
        }}
      />
      <PhoneField form={form} kind={kind} />
    </SimpleGrid>
  );
}

/** Where a country has fixed states or provinces, one of them; what was stored otherwise stays a choice. */
function RegionField({ form, kind, autoComplete }: { form: Form; kind: ContactKind; autoComplete: string }) {
  const path = `contacts.${kind}.state`;
  const { country, state } = form.getValues().contacts[kind];
  const fixed = (regionsOf(country) ?? []).map(({ code, name }) => ({
    value: code,
    label: `${name} (${code})`,
  }));
  const other = state !== '' && !fixed.some(({ value }) => value === state);
  return (
    <LongSelect
      {...form.getInputProps(path)}
      label={contactLabels.state}
      withAsterisk
      searchable
      autoSelectOnBlur
      allowDeselect={false}
      nothingFoundMessage="No such state"
      data={other ? [{ value: state, label: state }, ...fixed] : fixed}
      value={state === '' ? null : state}
      autoComplete={autoComplete}
      data-path={path}
      onChange={(code) => form.setFieldValue(path, code ?? '')}
    />
  );
}

/** P1 §5: the dial code is the country's; a number that is pasted with one of its own brings it along. */
function PhoneField({ form, kind }: { form: Form; kind: ContactKind }) {
  const path = `contacts.${kind}.phone`;
  const { country, phone } = form.getValues().contacts[kind];
  // While the person types, the field shows their input. Afterwards it shows the stored value.
  const [draft, setDraft] = useState<string | null>(null);
  const { dialCode, number } = splitPhone(phone);
  const code = dialCode || (findCountry(country)?.dialCode ?? '');
  return (
    <TextInput
      label={contactLabels.phone}
      withAsterisk
      type="tel"
      value={draft ?? (dialCode ? number : phone)}
      error={form.getInputProps(path).error}
      onBlur={() => {
        setDraft(null);
        form.validateField(path);
      }}
      autoComplete="tel-national"
      data-path={path}
      leftSection={<Group gap={0}>{code}</Group>}
      leftSectionWidth={Math.max(44, 14 + code.length * 9)}
      onChange={(event) => {
        const text = event.currentTarget.value;
        const read = typedPhone(text, { country, dialCode });
        setDraft(isInternational(text) && storedPhone.test(read) ? null : text);
        form.setFieldValue(path, read);
      }}
    />
  );
}

/** Where a rule refuses a value, what it was meant to say is one click away (decisions no. 32). */
function CleanedOffer(props: { form: Form; kind: ContactKind; field: keyof Contact }) {
  const { form, kind, field } = props;
  const path = `contacts.${kind}.${field}`;
  const offered = suggestedContactValue(field, form.getValues().contacts[kind]);
  if (!form.errors[path] || offered === null) return null;
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      onClick={(event) => {
        form.setFieldValue(path, offered);
        form.validateField(path);
        // What was offered goes, and the focus would go with it.
        event.currentTarget.parentElement?.querySelector('input')?.focus();
      }}
    >
      Use “{offered}”
    </Anchor>
  );
}
