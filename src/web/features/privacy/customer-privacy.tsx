import { Stack, Text } from '@mantine/core';
import { Card } from '../../ui/card.tsx';
import { EraseCustomer, type EraseCustomerProps } from './erase-customer.tsx';
import { ExportData } from './export-data.tsx';

/** A customer's personal data, below its contacts: to be handed out, or to be erased. */
export function CustomerPrivacy(props: EraseCustomerProps) {
  return (
    <Stack gap="md" mt="md">
      <Card title="Personal data">
        <Text size="sm" mb="md">
          Everything the portal holds about this customer and the people in its contacts. Give it to them when
          they ask for it.
        </Text>
        <ExportData subject={{ kind: 'customer', id: props.customerId }} />
      </Card>
      <Card danger title="Danger zone">
        <Text size="sm" mb="md">
          Deletes the customer and erases its people. You can do this once all domains, orders, certificates
          and charges have ended.
        </Text>
        <EraseCustomer {...props} />
      </Card>
    </Stack>
  );
}
