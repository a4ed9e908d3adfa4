import {
  ActionIcon,
  Badge,
  Button,
  Checkbox,
  FileButton,
  Group,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { IconCertificate, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatCents, usdToCents } from '#contracts/values/money.ts';
import { DomainName } from '../../ui/domain-name.tsx';
import { type CartItem, type CertificateItem, cart, type DomainItem, type RenewalItem } from './cart.ts';
import { expiresSoon, type ItemPrice, itemKey } from './summary.ts';

export interface CustomerOption {
  value: string;
  label: string;
}

/** "Domain List": one row an item, with everything that can be chosen about it. */
export function CartLines(props: {
  items: readonly CartItem[];
  customers: readonly CustomerOption[];
  sharedOwner: boolean;
  onSharedOwner: (on: boolean) => void;
  addCustomer: ReactNode;
  disabled: boolean;
}) {
  const { items, customers, sharedOwner, disabled } = props;
  const domains = items.filter((item) => item.type === 'domain');
  // P1 §5: offered when there are several new domains and several customers.
  const canShare = domains.length > 1 && customers.length > 1;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text fw={600}>Connect domains to owner</Text>
        {canShare && (
          <Checkbox
            label="Same customer for all new domains"
            checked={sharedOwner}
            disabled={disabled}
            onChange={(event) => props.onSharedOwner(event.currentTarget.checked)}
          />
        )}
      </Group>
      {customers.length === 0 && (
        <Text size="sm">There is no customer yet to own these domains. {props.addCustomer}</Text>
      )}
      {items.map((item) => (
        <Paper key={itemKey(item)} withBorder p="sm" component="section" aria-label={item.address}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <LineTitle item={item} />
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              disabled={disabled}
              aria-label={`Remove ${item.address} from cart`}
              onClick={() => cart.remove(item)}
            >
              <IconTrash size={18} />
            </ActionIcon>
          </Group>
          <Group gap="md" mt="xs" align="flex-end">
            <OwnerSelect
              item={item}
              customers={customers}
              disabled={disabled || (sharedOwner && item.type === 'domain' && item !== domains[0])}
            />
            {item.type === 'domain' && <DomainChoices item={item} disabled={disabled} />}
            {item.type === 'certificate' && <CsrChoice item={item} disabled={disabled} />}
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}

const titles = {
  domain: 'Registration',
  renewal: 'Renewal',
  transfer: 'Transfer',
  certificate: 'Certificate',
};

function LineTitle({ item }: { item: CartItem }) {
  return (
    <div style={{ minWidth: 0 }}>
      <DomainName name={item.address} />
      <Group gap="xs" mt={2}>
        <Text size="sm" c="dimmed">
          {item.type === 'certificate' ? 'With SSL certificate (1 year)' : titles[item.type]}
        </Text>
        {item.type === 'renewal' && <RenewalFlag item={item} />}
      </Group>
    </div>
  );
}

function RenewalFlag({ item }: { item: RenewalItem }) {
  const soon = expiresSoon(item.expireDate, new Date());
  const date = new Date(item.expireDate).toLocaleDateString();
  return (
    <Badge color={soon ? 'red' : 'gray'} variant="light">
      Expires {date}
    </Badge>
  );
}

/** A customer cannot be changed on renewal or certificate items (P1 §5). */
function OwnerSelect(props: { item: CartItem; customers: readonly CustomerOption[]; disabled: boolean }) {
  const { item, customers } = props;
  const fixed = item.type === 'renewal' || item.type === 'certificate';
  return (
    <Select
      label={`Owner of ${item.address}`}
      placeholder="Choose a customer"
      data={[...customers]}
      value={item.customerId}
      searchable
      allowDeselect={false}
      disabled={props.disabled || fixed}
      onChange={(customerId) => cart.update({ ...item, customerId })}
      w={{ base: '100%', xs: 280 }}
      nothingFoundMessage="No customers found"
    />
  );
}

function DomainChoices({ item, disabled }: { item: DomainItem; disabled: boolean }) {
  return (
    <>
      <div>
        <Text size="sm" fw={500} id={`period-${item.address}`}>
          Period
        </Text>
        <SegmentedControl
          aria-labelledby={`period-${item.address}`}
          data={[
            { value: '1', label: '1 year' },
            { value: '2', label: '2 years' },
          ]}
          value={String(item.registration)}
          disabled={disabled}
          onChange={(years) => cart.update({ ...item, registration: years === '2' ? 2 : 1 })}
        />
      </div>
      <Switch
        label="Privacy"
        checked={item.whois}
        disabled={disabled}
        onChange={(event) => cart.update({ ...item, whois: event.currentTarget.checked })}
      />
      <Switch
        label="Auto renew"
        checked={item.autoRenew}
        disabled={disabled}
        onChange={(event) => cart.update({ ...item, autoRenew: event.currentTarget.checked })}
      />
    </>
  );
}

function CsrChoice({ item, disabled }: { item: CertificateItem; disabled: boolean }) {
  const read = async (file: File | null) => {
    if (file) cart.update({ ...item, csr: await file.text(), csrName: file.name });
  };
  return (
    <Group gap="sm">
      <FileButton onChange={read} accept=".csr,.pem,.txt,application/pkcs10">
        {(button) => (
          <Button
            {...button}
            variant="default"
            disabled={disabled}
            leftSection={<IconCertificate size={16} />}
          >
            Upload CSR
          </Button>
        )}
      </FileButton>
      <Text size="sm" {...(item.csr ? {} : { c: 'dimmed' })}>
        {item.csr ? `CSR file: ${item.csrName}` : 'Please upload a CSR to continue'}
      </Text>
    </Group>
  );
}

/** "Items review": the items with their prices, and what they come to. */
export function OrderSummary(props: {
  items: readonly CartItem[];
  prices: Map<string, ItemPrice>;
  loading: boolean;
  totalCents: number;
  markupCents: number | null;
  spendableCents: number | null;
}) {
  return (
    <Stack gap="xs">
      <Text fw={600}>Items review</Text>
      {props.items.map((item) => {
        const price = props.prices.get(itemKey(item));
        return (
          <Group key={itemKey(item)} justify="space-between" wrap="nowrap" align="baseline" gap="md">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {item.address}{' '}
              <Text span c="dimmed">
                {titles[item.type].toLowerCase()}
              </Text>
            </Text>
            <Text size="sm" className="number" {...(price?.error ? { c: 'red' } : {})}>
              {price?.error ?? (price ? formatCents(usdToCents(price.price)) : '…')}
            </Text>
          </Group>
        );
      })}
      <Text fw={600} mt="sm">
        Order summary
      </Text>
      <SummaryLine label="Subtotal (excludes taxes)" cents={props.totalCents} strong />
      {props.markupCents !== null && (
        <SummaryLine label="Your total markup will be" cents={props.markupCents} />
      )}
      {props.spendableCents !== null && (
        <SummaryLine label="Balance after this order" cents={props.spendableCents - props.totalCents} />
      )}
    </Stack>
  );
}

function SummaryLine({ label, cents, strong = false }: { label: string; cents: number; strong?: boolean }) {
  const weight = strong ? { fw: 600 } : {};
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" {...weight}>
        {label}
      </Text>
      <Text size="sm" {...weight} {...(cents < 0 ? { c: 'red' } : {})} className="number">
        USD {formatCents(cents)}
      </Text>
    </Group>
  );
}
