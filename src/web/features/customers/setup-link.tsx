import { Button, Group, Text, Tooltip } from '@mantine/core';
import type { Customer } from '#contracts/operations/customers.ts';
import { useSendSetupLink } from './api.ts';
import { type BillingValues, chipOf, maySendLink, sendStateOf } from './direct-billing.ts';

const tooltip =
  'You need to save the customer with direct billing enabled and email added before sending the payment setup link.';

/** "Send payment setup link" with its states (P1 §4). */
export function SetupLink(props: {
  customer: Customer;
  values: BillingValues;
  dirty: boolean;
  mayEdit: boolean;
}) {
  const { customer, values, dirty, mayEdit } = props;
  const send = useSendSetupLink();
  const state = sendStateOf(send.status, send.variables?.to, values.email);
  const { stripeId } = customer.billing;
  const enabled = mayEdit && maySendLink({ send: state, values, dirty, stripeId, chip: chipOf(customer) });
  return (
    <Group gap="md">
      <Tooltip label={tooltip} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        <Button
          variant="default"
          // Not `disabled`: the tooltip must be reachable, by keyboard too.
          {...(enabled ? {} : { 'data-disabled': true })}
          aria-disabled={!enabled}
          onClick={(event) => {
            event.preventDefault();
            if (enabled && stripeId) send.mutate({ stripeId, to: values.email });
          }}
        >
          {state === 'sending' ? 'Sending...' : 'Send payment setup link'}
        </Button>
      </Tooltip>
      <Text role="status" size="sm" {...(state === 'error' ? { c: 'red.8' } : {})}>
        {state === 'sent' && 'Payment setup link sent successfully.'}
        {state === 'error' && 'Something went wrong when sending request. Please try again.'}
      </Text>
    </Group>
  );
}
