import {
  ActionIcon,
  Badge,
  Checkbox,
  Group,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { stillBeingConfirmed } from '#contracts/operations/orders.ts';
import { fullDay } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { useRunningItem } from './api.ts';
import {
  type CartItem,
  type CertificateItem,
  cart,
  type DomainItem,
  type RenewalItem,
  type RunningItem,
} from './cart.ts';
import { itemKinds, itemStates } from './order-texts.ts';
import { expiresSoon, itemKey } from './summary.ts';

export interface CustomerOption {
  value: string;
  label: string;
}

/** What certificates need that belongs to another part of the product. */
interface CertificateParts {
  certificateChoices: (item: CertificateItem, disabled: boolean) => ReactNode;
  /** Adds one to a new domain. */
  addCertificate: (item: DomainItem, disabled: boolean) => ReactNode;
}

/** "Domain List": one row an item, with everything that can be chosen about it. */
export function CartLines(
  props: {
    items: readonly CartItem[];
    /** Those of the items that are being bought already. */
    running: readonly RunningItem[];
    customers: readonly CustomerOption[];
    sharedOwner: boolean;
    onSharedOwner: (on: boolean) => void;
    addCustomer: ReactNode;
    disabled: boolean;
    /** Why the last try to buy was refused because of this item. */
    problemWith: (item: CartItem) => string | null;
  } & CertificateParts,
) {
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
      <Lines items={items}>
        {(item) => (
          <CartLine
            item={item}
            running={props.running.find((entry) => itemKey(entry) === itemKey(item))}
            customers={customers}
            disabled={disabled}
            problem={props.problemWith(item)}
            certificateChoices={props.certificateChoices}
            addCertificate={props.addCertificate}
            ownerShared={
              canShare && sharedOwner && item.type === 'domain' && item.address !== domains[0]?.address
            }
          />
        )}
      </Lines>
    </Stack>
  );
}

/** More than these are drawn only while they are in sight: each has half a dozen controls. */
const mostDrawn = 30;
/** A line with its controls, before it was measured. */
const linePx = 150;
const gapPx = 12;

function Lines(props: { items: readonly CartItem[]; children: (item: CartItem) => ReactNode }) {
  const { items, children } = props;
  if (items.length > mostDrawn) return <ManyLines {...props} />;
  return items.map((item) => <div key={itemKey(item)}>{children(item)}</div>);
}

function ManyLines({
  items,
  children,
}: {
  items: readonly CartItem[];
  children: (item: CartItem) => ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    const place = box.current?.getBoundingClientRect();
    if (place) setTopPx(place.top + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => linePx,
    gap: gapPx,
    overscan: 4,
    scrollMargin: topPx,
    getItemKey: (index) => itemKey(items[index] ?? { type: 'domain', address: String(index) }),
  });
  return (
    <div ref={box} style={{ position: 'relative', height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index];
        if (!item) return null;
        return (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            style={{ position: 'absolute', insetInline: 0, top: start - topPx }}
          >
            {children(item)}
          </div>
        );
      })}
    </div>
  );
}

function CartLine(
  props: {
    item: CartItem;
    running: RunningItem | undefined;
    customers: readonly CustomerOption[];
    disabled: boolean;
    problem: string | null;
    ownerShared: boolean;
  } & CertificateParts,
) {
  const { item, running, disabled } = props;
  return (
    <Paper withBorder p="sm" component="section" aria-label={nameOf(item)}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <LineTitle item={item} />
        {!running && (
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            disabled={disabled}
            aria-label={`Remove ${nameOf(item)} from cart`}
            onClick={() => cart.remove(item)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        )}
      </Group>
      {props.problem && (
        <Text size="sm" c="var(--bad)" mt="xs" data-problem>
          {props.problem}
        </Text>
      )}
      {running ? (
        <RunningLine running={running} />
      ) : (
        <Group gap="md" mt="xs" align="flex-end">
          <OwnerSelect item={item} customers={props.customers} disabled={disabled || props.ownerShared} />
          {item.type === 'domain' && <DomainChoices item={item} disabled={disabled} />}
          {item.type === 'certificate' && props.certificateChoices(item, disabled)}
          {item.type === 'domain' && props.addCertificate(item, disabled)}
        </Group>
      )}
    </Paper>
  );
}

/** A domain and its certificate stand side by side: their controls are told apart. */
function nameOf(item: CartItem): string {
  return item.type === 'certificate' ? `SSL certificate for ${item.address}` : item.address;
}

/** Bought in an earlier order whose outcome is not known yet: it takes no part in the next one (decisions no. 8). */
function RunningLine({ running }: { running: RunningItem }) {
  const state = useRunningItem(running, (bought) => cart.settleRunning(running, bought));
  const { label, tone } = itemStates[state ?? 'unknown'];
  return (
    <Group gap="xs" mt="xs" role="status">
      <Badge color={tone} variant="light">
        {label}
      </Badge>
      <Text size="sm">{stillBeingConfirmed}</Text>
    </Group>
  );
}

function LineTitle({ item }: { item: CartItem }) {
  return (
    <div style={{ minWidth: 0 }}>
      <DomainName name={item.address} />
      <Group gap="xs" mt={2}>
        <Text size="sm" c="dimmed">
          {item.type === 'certificate' ? 'With SSL certificate (1 year)' : itemKinds[item.type]}
        </Text>
        {item.type === 'renewal' && <RenewalFlag item={item} />}
      </Group>
    </div>
  );
}

function RenewalFlag({ item }: { item: RenewalItem }) {
  const soon = expiresSoon(item.expireDate, new Date());
  const date = fullDay(new Date(item.expireDate));
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
      label="Owner"
      aria-label={`Owner of ${nameOf(item)}`}
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
        <Text size="sm" fw={600} mb={3} id={`period-${item.address}`}>
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
      <Group gap="md" h={36}>
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
      </Group>
    </>
  );
}
