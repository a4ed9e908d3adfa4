import { Button, SimpleGrid, Text } from '@mantine/core';
import type { DomainDetails, RegistryContact } from '#contracts/operations/domain-settings.ts';
import { Section } from './section.tsx';

/** P2 §2: Tech, Billing, Owner, Admin. */
export const contactTitles = { tech: 'Tech', billing: 'Billing', owner: 'Owner', admin: 'Admin' } as const;
export type ContactType = keyof typeof contactTitles;

export function ContactsSection(props: {
  details: DomainDetails;
  /** null: this user may not change contacts. */
  onEdit: ((type: ContactType) => void) | null;
}) {
  const { contact_set: contacts, live } = props.details;
  const types = Object.keys(contactTitles) as ContactType[];
  const known = types.filter((type) => contacts[type]);
  const { onEdit } = props;
  return (
    <Section title="Domain contacts">
      {known.length === 0 && (
        <Text size="sm" c="dimmed">
          {live ? 'The registrar has no contacts for this domain.' : 'The registrar keeps the contacts.'}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="lg">
        {known.map((type) => {
          const contact = contacts[type];
          return (
            contact && (
              <ContactCard
                key={type}
                title={contactTitles[type]}
                contact={contact}
                onEdit={onEdit && (() => onEdit(type))}
              />
            )
          );
        })}
      </SimpleGrid>
    </Section>
  );
}

function ContactCard(props: { title: string; contact: RegistryContact; onEdit: (() => void) | null }) {
  const { title, contact } = props;
  const place = [contact.city, contact.state, contact.postal_code].filter((part) => part !== '').join(', ');
  const { org_name, address1, address2, address3, country, email } = contact;
  const lines = [org_name, address1, address2, address3, place, country, email];
  return (
    <article aria-label={`${title} contact`} style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      <Text size="sm" c="dimmed" fw={600}>
        {title}
      </Text>
      <Text size="sm" fw={600}>
        {contact.first_name} {contact.last_name}
      </Text>
      <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
        {lines.filter((line) => line !== '').join('\n')}
      </Text>
      {props.onEdit && (
        <Button
          size="compact-xs"
          variant="default"
          mt="xs"
          aria-label={`Change the ${title} contact`}
          onClick={props.onEdit}
        >
          Change
        </Button>
      )}
    </article>
  );
}
