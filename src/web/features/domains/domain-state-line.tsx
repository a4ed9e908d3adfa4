import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { Chip } from '../../ui/chip.tsx';
import { useSiteName } from '../../ui/site-name.ts';
import { domainFacts, leftFact } from './domain-state.ts';
import classes from './domain-state-line.module.css';

/** Below the name: the whole state, the worst first, and whose domain it is. */
export function DomainStateLine(props: {
  details: DomainDetails;
  /** A customer's own users know whose it is. */
  namesOwner: boolean;
}) {
  const { details, namesOwner } = props;
  const site = useSiteName();
  const { customerId, customer } = details;
  return (
    <div className={classes.line}>
      <ul className={classes.facts} aria-label="State">
        {domainFacts(details, new Date(), site).map(({ key, tone, text }) => (
          <li key={key}>
            <Chip tone={tone}>{text}</Chip>
          </li>
        ))}
      </ul>
      {namesOwner && customerId && (
        <span className={classes.owner} title={customer}>
          for{' '}
          <Anchor component={Link} to={`/customers/${customerId}`} inherit>
            {customer}
          </Anchor>
        </span>
      )}
    </div>
  );
}

/** Says in a list that a domain has left, as the domain's page does. */
export function LeftChip({ domain }: { domain: Pick<DomainDetails, 'status' | 'missing'> }) {
  const fact = leftFact(domain);
  return fact && <Chip tone={fact.tone}>{fact.text}</Chip>;
}
