import { Paper, Stack, Text, Title } from '@mantine/core';
import { EraseCustomer, type EraseCustomerProps } from './erase-customer.tsx';
import { ExportData } from './export-data.tsx';

/** A customer's personal data, below its contacts: to be handed out, or to be erased. */
export function CustomerPrivacy(props: EraseCustomerProps) {
  return (
    <Stack gap="lg" mt="xl" component="section" aria-label="Personal data">
      <Paper withBorder p="lg">
        <Title order={2} size="h4" mb="xs">
          Personal data
        </Title>
        <Text size="sm" mb="md">
          Everything the portal holds about this customer and the people in its contacts. Give it to them when
          they ask for it.
        </Text>
        <ExportData subject={{ kind: 'customer', id: props.customerId }} />
      </Paper>
      <Paper withBorder p="lg" style={{ borderColor: 'var(--bad)' }}>
        <Title order={2} size="h4" mb="xs">
          Danger zone
        </Title>
        <Text size="sm" mb="md">
          Deletes the customer and erases its people. You can do this once all domains, orders, certificates
          and charges have ended.
        </Text>
        <EraseCustomer {...props} />
      </Paper>
    </Stack>
  );
}
