import type { Customer } from '#contracts/operations/customers.ts';
import { countryName } from '#contracts/values/countries.ts';
import { breakable } from '../../ui/breakable.tsx';
import classes from './contacts-read.module.css';
import { formOf } from './form-values.ts';

type ShownContact = Customer['contacts']['owner'];

/** The three contacts to read; a contact that equals the owner's shows three words. */
export function ContactsRead({ customer }: { customer: Customer }) {
  const { adminSame, billingSame } = formOf(customer);
  const { owner, admin, billing } = customer.contacts;
  return (
    <div className={classes.contacts}>
      <Contact title="Owner" contact={owner} />
      {adminSame ? <Same title="Admin" /> : <Contact title="Admin" contact={admin} />}
      {billingSame ? <Same title="Billing" /> : <Contact title="Billing" contact={billing} />}
    </div>
  );
}

function Same({ title }: { title: string }) {
  return (
    <section aria-label={title} className={classes.same}>
      <h3>{title}</h3>
      <p>Same as owner</p>
    </section>
  );
}

function Contact({ title, contact }: { title: string; contact: ShownContact }) {
  const { address1, address2, address3, city, state, postalCode } = contact;
  const facts = [
    ['Company', contact.organization],
    ['Name', `${contact.firstName} ${contact.lastName}`],
    ['Email', contact.email],
    ['Phone', contact.phone],
    ['Address', [address1, address2, address3].filter(Boolean).join(', ')],
    ['City, state, postal code', `${city}, ${[state, postalCode].filter(Boolean).join(' ')}`],
    ['Country', countryName(contact.country)],
  ] as const;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{label === 'Email' ? breakable(value) : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
