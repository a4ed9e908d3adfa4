import { Anchor, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { cleanedContactValue, joinPhone, splitPhone } from '#contracts/values/contact.ts';
import { countries, findCountry } from '#contracts/values/countries.ts';
import { regionsOf } from '#contracts/values/regions.ts';
import type { CustomerFormState as Form } from './use-customer-form.ts';

export type ContactKind = 'owner' | 'admin' | 'billing';

const countryOptions = countries.map((country) => ({ value: country.code, label: country.name }));

/** Text fields in the order of a letter's head, with what the browser may fill in. */
const textFields = [
  { name: 'organization', label: 'Company', autoComplete: 'organization' },
  { name: 'firstName', label: 'First name', autoComplete: 'given-name' },
  { name: 'lastName', label: 'Last name', autoComplete: 'family-name' },
  { name: 'email', label: 'Email', autoComplete: 'email' },
  { name: 'address1', label: 'Address line 1', autoComplete: 'address-line1' },
  { name: 'city', label: 'City', autoComplete: 'address-level2' },
  { name: 'state', label: 'State', autoComplete: 'address-level1' },
  { name: 'postalCode', label: 'Postal code', autoComplete: 'postal-code' },
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
              label={field.label}
              withAsterisk
              type={field.name === 'email' ? 'email' : 'text'}
              autoComplete={`${section}${field.autoComplete}`}
              data-path={path(field.name)}
              onChange={(event) => {
                const { value } = event.currentTarget;
                // P1 §5: postal code input is stripped of non-alphanumerics.
                const kept = field.name === 'postalCode' ? cleanedContactValue('postalCode', value) : value;
                form.setFieldValue(path(field.name), kept);
              }}
            />
            <CleanedOffer form={form} path={path(field.name)} field={field.name} />
          </div>
        ),
      )}
      <Select
        {...form.getInputProps(path('country'))}
        label="Country"
        withAsterisk
        searchable
        allowDeselect={false}
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
          const { number } = splitPhone(form.getValues().contacts[kind].phone);
          form.setFieldValue(path('phone'), phoneOf(findCountry(code ?? '')?.dialCode ?? '', number));
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
    <Select
      {...form.getInputProps(path)}
      label="State"
      withAsterisk
      searchable
      selectFirstOptionOnChange
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

function PhoneField({ form, kind }: { form: Form; kind: ContactKind }) {
  const path = `contacts.${kind}.phone`;
  const contact = form.getValues().contacts[kind];
  const { dialCode, number } = splitPhone(contact.phone);
  // The country's, once one is chosen; a number that was stored with another one is shown with that.
  const code = dialCode || (findCountry(contact.country)?.dialCode ?? '');
  const input = form.getInputProps(path);
  return (
    <TextInput
      label="Phone"
      withAsterisk
      type="tel"
      value={number}
      error={input.error}
      onBlur={() => {
        // An extension that was begun and not typed is none.
        form.setFieldValue(path, contact.phone.replace(/x$/, ''));
        form.validateField(path);
      }}
      autoComplete="tel-national"
      data-path={path}
      leftSection={<Group gap={0}>{code}</Group>}
      leftSectionWidth={Math.max(44, 14 + code.length * 9)}
      onChange={(event) => form.setFieldValue(path, phoneOf(code, event.currentTarget.value))}
    />
  );
}

/** Before the digits of an extension there is an "x" alone. */
const opensExtension = /^[^x]*x\D*$/i;

/** An empty number stays empty, so that the message is "Please fill out the field". */
function phoneOf(dialCode: string, number: string): string {
  if (number.replace(/\D/g, '') === '') return '';
  const phone = joinPhone(dialCode, number);
  return opensExtension.test(number) ? `${phone}x` : phone;
}

/** Where a rule refuses a character, what is left without it is one click away. */
function CleanedOffer(props: { form: Form; path: string; field: (typeof textFields)[number]['name'] }) {
  const { form, path, field } = props;
  const value = String(form.getInputProps(path).value ?? '');
  const cleaned = cleanedContactValue(field, value);
  if (!form.errors[path] || cleaned === value || cleaned === '') return null;
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      onClick={() => {
        form.setFieldValue(path, cleaned);
        form.validateField(path);
      }}
    >
      Use “{cleaned}”
    </Anchor>
  );
}
