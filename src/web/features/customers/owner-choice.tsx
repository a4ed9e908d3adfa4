import { Anchor, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ErrorState } from '../../ui/error-state.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { customerOptions, useCustomerChoices } from './api.ts';

/** Whose what comes here will be. `what`: for an organization that has no customer yet. */
export function OwnerChoice(props: {
  label: string;
  what: string;
  value: string | null;
  /** Nothing else is missing: without the choice it does not go on, and the field says so. */
  missing: boolean;
  onChange: (id: string | null) => void;
}) {
  const customers = useCustomerChoices();
  if (!customers.data) {
    return customers.error ? (
      <ErrorState error={customers.error} onRetry={customers.refetch} />
    ) : (
      <Skeleton height={60} />
    );
  }
  if (customers.data.length === 0) {
    return (
      <Text size="sm">
        You have no customer yet who can own {props.what}.{' '}
        <Anchor component={Link} to="/customers/add" inherit>
          Add Customer
        </Anchor>
      </Text>
    );
  }
  return (
    <LongSelect
      label={props.label}
      placeholder="Choose a customer"
      searchable
      nothingFoundMessage="No customers found"
      // The server sorts them by organization, as languages do.
      data={customerOptions(customers.data)}
      value={props.value}
      error={props.missing && props.value === null ? 'Please choose a customer' : null}
      onChange={props.onChange}
    />
  );
}
