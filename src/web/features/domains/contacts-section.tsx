import { Button } from '@mantine/core';
import type { DomainDetails, RegistryContact } from '#contracts/operations/domain-settings.ts';
import { breakable } from '../../ui/breakable.tsx';
import { Card } from '../../ui/card.tsx';
import classes from './contacts-section.module.css';

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
    <Card flush title="Domain contacts">
      {known.length === 0 && (
        <p className={classes.none}>
          {live ? 'The registrar has no contacts for this domain.' : 'The registrar keeps the contacts.'}
        </p>
      )}
      <div className={classes.people}>
        {known.map((type) => {
          const contact = contacts[type];
          const edit = onEdit && (() => onEdit(type));
          return (
            contact && <ContactCard key={type} title={contactTitles[type]} contact={contact} onEdit={edit} />
          );
        })}
      </div>
    </Card>
  );
}

function ContactCard(props: { title: string; contact: RegistryContact; onEdit: (() => void) | null }) {
  const { title, contact } = props;
  const place = [contact.city, contact.state, contact.postal_code].filter((part) => part !== '').join(', ');
  const { org_name, address1, address2, address3, country, email } = contact;
  const lines = [org_name, address1, address2, address3, place, country];
  return (
    <article aria-label={`${title} contact`}>
      <header>
        <span>{title}</span>
        {props.onEdit && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Change the ${title} contact`}
            onClick={props.onEdit}
          >
            Change
          </Button>
        )}
      </header>
      <strong>
        {contact.first_name} {contact.last_name}
      </strong>
      <span className={classes.address}>{lines.filter((line) => line !== '').join('\n')}</span>
      {email !== '' && <a href={`mailto:${email}`}>{breakable(email)}</a>}
    </article>
  );
}
