import { Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import { BillingFields } from './billing-fields.tsx';
import type { BillingForm } from './use-billing-form.ts';

/** What the Billing tab has, in the form of a new customer; folded, since most are not billed directly. */
export function AddBilling(props: { form: BillingForm; open: boolean; onOpen: (open: boolean) => void }) {
  const { form, open } = props;
  const panel = useId();
  const Icon = open ? IconChevronDown : IconChevronRight;
  const on = form.getValues().billDirectly;
  return (
    <section aria-label="Direct billing and markups">
      <Title order={2} size="h4">
        <UnstyledButton
          aria-expanded={open}
          aria-controls={panel}
          onClick={() => props.onOpen(!open)}
          fz="inherit"
          fw="inherit"
        >
          <Icon size={18} aria-hidden style={{ verticalAlign: '-3px' }} /> Direct billing and markups
        </UnstyledButton>
      </Title>
      <div id={panel} hidden={!open}>
        {open && (
          <Stack gap="lg" maw={720} mt="md">
            {/* P1 §5: markups are sent on creation only when direct billing is on. */}
            <BillingFields form={form} mayEdit mayEditMarkups={on}>
              {!on && (
                <Text size="sm" c="dimmed">
                  Markups apply to customers with direct billing.
                </Text>
              )}
            </BillingFields>
          </Stack>
        )}
      </div>
    </section>
  );
}
