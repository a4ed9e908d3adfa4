import { Checkbox, Group, SegmentedControl, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { type ContactRole, contactRoles, type SettingRequest } from '#contracts/values/changes.ts';
import { countries } from '#contracts/values/countries.ts';
import { LongSelect } from '../../ui/long-select.tsx';
import type { FormPart } from './change-fields.tsx';
import type { ChangeValues, ContactValues } from './change-form.ts';

type Kind = SettingRequest['kind'];

const switches = {
  lock: ['Locked', 'Unlocked'],
  'auto-renew': ['On', 'Off'],
  privacy: ['On', 'Off'],
} as const;

/** What it costs and what follows of it, said before anything is looked at. */
const meanings: Readonly<Record<Kind, string>> = {
  lock: 'Free of charge. Opening domains for transfers asks you to sign in again.',
  'auto-renew':
    'Free of charge now. The portal renews each domain before it expires, from your balance; the differences show the price of a year.',
  privacy: 'Free of charge. Hides the data of the registrant from the public registry.',
  nameservers:
    'Free of charge. Domains with DNSSEC are left as they are. Records here are not served where the nameservers belong to others.',
  contacts:
    'Free of charge. A new name, company or email of the owner has to be confirmed by email, and keeps the domain from leaving for a while.',
  customer:
    'Free of charge. Records, certificates, orders and the registrant stay. Later renewals are billed to the new customer, and its users see the domain.',
};

const isSwitch = (kind: Kind): kind is keyof typeof switches => kind in switches;

export function SettingFields(part: FormPart & { kind: Kind }) {
  const { kind } = part;
  return (
    <>
      {isSwitch(kind) ? <Switch {...part} words={switches[kind]} /> : <OtherFields {...part} kind={kind} />}
      <Text size="sm" c="dimmed">
        {meanings[kind]}
      </Text>
    </>
  );
}

function Switch({ values, set, words }: FormPart & { words: readonly [string, string] }) {
  const [on, off] = words;
  return (
    <Group>
      <SegmentedControl
        aria-label="New setting"
        value={values.on ? 'on' : 'off'}
        onChange={(value) => set({ on: value === 'on' })}
        data={[
          { value: 'on', label: on },
          { value: 'off', label: off },
        ]}
      />
    </Group>
  );
}

function OtherFields(part: FormPart & { kind: Kind }) {
  const { kind, values, set, wrong } = part;
  if (kind === 'nameservers') return <Nameservers {...part} />;
  if (kind === 'contacts') return <Contacts {...part} />;
  return (
    <LongSelect
      label="Customer"
      placeholder="No customer"
      searchable
      clearable
      data={[...part.customers]}
      value={values.customerId}
      error={wrong('request.customerId')}
      onChange={(customerId) => set({ customerId })}
    />
  );
}

function Nameservers({ values, set, wrong }: FormPart) {
  const problem = wrong('request.nameservers') ?? firstOf(wrong, 'request.nameservers');
  return (
    <Textarea
      label="Nameservers"
      description="One per line, 2 to 12."
      placeholder={'ns1.provider.example\nns2.provider.example'}
      value={values.nameservers}
      error={problem}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      onChange={(event) => set({ nameservers: event.currentTarget.value })}
    />
  );
}

/** What is wrong with one of a list, where one field shows them all. */
function firstOf(wrong: FormPart['wrong'], path: string): string | null {
  for (let index = 0; index < 12; index += 1) {
    const problem = wrong(`${path}.${index}`);
    if (problem) return problem;
  }
  return null;
}

const roleTitles: Readonly<Record<ContactRole, string>> = {
  ...{ owner: 'Owner', admin: 'Admin', billing: 'Billing', tech: 'Tech' },
};

function Contacts(part: FormPart) {
  const { values, set, wrong } = part;
  return (
    <>
      <Checkbox.Group
        label="Which contacts"
        value={values.roles}
        error={wrong('request.roles')}
        onChange={(roles) => set({ roles: roles as ContactRole[] })}
      >
        <Group gap="md" mt={4}>
          {contactRoles.map((role) => (
            <Checkbox key={role} value={role} label={roleTitles[role]} />
          ))}
        </Group>
      </Checkbox.Group>
      <Group>
        <SegmentedControl
          aria-label="Whose"
          value={values.contactOf}
          onChange={(contactOf) => set({ contactOf: contactOf as ChangeValues['contactOf'] })}
          data={[
            { value: 'customer', label: 'Of each domain’s customer' },
            { value: 'typed', label: 'One for all' },
          ]}
        />
      </Group>
      {values.contactOf === 'typed' && <ContactFields {...part} />}
    </>
  );
}

const contactFields: readonly [keyof ContactValues, string, string?][] = [
  ['organization', 'Company'],
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
  ['email', 'Email'],
  ['phone', 'Phone', '+1.2125550100'],
  ['address1', 'Address line 1'],
  ['address2', 'Address line 2'],
  ['city', 'City'],
  ['state', 'State'],
  ['postalCode', 'Postal code'],
];
const countryOptions = countries.map(({ code, name }) => ({ value: code, label: name }));

function ContactFields({ values, set, wrong }: FormPart) {
  const { contact } = values;
  const change = (part: Partial<ContactValues>) => set({ contact: { ...contact, ...part } });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      {contactFields.map(([field, label, placeholder]) => (
        <TextInput
          key={field}
          label={label}
          {...(placeholder ? { placeholder } : {})}
          withAsterisk={field !== 'address2'}
          value={contact[field]}
          error={wrong(`request.contact.${field}`)}
          autoComplete="off"
          onChange={(event) => change({ [field]: event.currentTarget.value })}
        />
      ))}
      <LongSelect
        label="Country"
        withAsterisk
        searchable
        allowDeselect={false}
        data={countryOptions}
        value={contact.country === '' ? null : contact.country}
        error={wrong('request.contact.country')}
        onChange={(country) => change({ country: country ?? '' })}
      />
    </SimpleGrid>
  );
}
