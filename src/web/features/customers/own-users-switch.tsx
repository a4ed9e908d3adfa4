import { Switch, Text } from '@mantine/core';
import type { Customer } from '#contracts/operations/customers.ts';
import { FailureText } from '../../ui/failure.tsx';
import { useUpdateCustomer } from './api.ts';

/** Design, permission table: what the customer's own users may besides DNS records, if the MSP allows it (default no). */
export function OwnUsersSwitch({ customer }: { customer: Customer }) {
  const update = useUpdateCustomer(customer.customerId);
  const wanted = update.isPending ? update.variables.allowDomainSettings : undefined;
  return (
    <div style={{ marginBottom: 'var(--s6)' }}>
      <Switch
        label="The customer's own users may change domain settings"
        description="This covers nameservers, glue records, DNS mode, auto renew and lock. They can always see their domains and edit DNS records. They never see prices, your balance or other customers."
        checked={wanted ?? customer.allowDomainSettings}
        disabled={update.isPending}
        onChange={(event) => update.mutate({ allowDomainSettings: event.currentTarget.checked })}
      />
      <div role="status">
        {update.isSuccess && (
          <Text size="sm" c="dimmed">
            Saved.
          </Text>
        )}
      </div>
      <FailureText error={update.error} />
    </div>
  );
}
