import { ActionIcon, Anchor, Badge, Group, Select, Switch, Text } from '@mantine/core';
import { shallowEqual } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { expiresSoon } from '#contracts/values/domain-life.ts';
import { dayText, usdText } from '#contracts/values/format.ts';
import { registrationYears } from '#contracts/values/order-limits.ts';
import { stillBeingConfirmed } from '#contracts/values/outcome-texts.ts';
import { DomainName } from '../../ui/domain-name.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { useRunningItem } from './api.ts';
import {
  type CartItem,
  type CertificateItem,
  cart,
  type DomainItem,
  type RenewalItem,
  type RunningItem,
} from './cart.ts';
import classes from './cart-lines.module.css';
import { itemKinds, itemStates } from './order-texts.ts';
import type { Remark } from './purchase-problems.ts';
import { type ItemPrice, ownedUntil } from './summary.ts';

export interface CustomerOption {
  value: string;
  label: string;
}

/** What certificates need that belongs to another part of the product. */
export interface CertificateParts {
  certificateChoices: (item: CertificateItem, disabled: boolean) => ReactNode;
  /** Adds one to a new domain. */
  addCertificate: (item: DomainItem, disabled: boolean) => ReactNode;
}

interface CartLineProps extends CertificateParts {
  item: CartItem;
  running: RunningItem | undefined;
  customers: readonly CustomerOption[];
  disabled: boolean;
  remark: Remark | null;
  price: ItemPrice | undefined;
  ownerShared: boolean;
}

/** Prices are read again with each change of the cart, and are mostly the same. */
function isSameLine(before: CartLineProps, now: CartLineProps): boolean {
  const { price: priceBefore, ...rest } = before;
  const { price, ...others } = now;
  return (
    priceBefore?.price === price?.price && priceBefore?.error === price?.error && shallowEqual(rest, others)
  );
}

/**
 * One item: what it is, whose it will be, until when, for how much. Has half a dozen controls, and is drawn again only when something of
 * it has changed.
 */
export const CartLine = memo(function CartLine(props: CartLineProps) {
  const { item, running, disabled } = props;
  const { remark, price } = props;
  return (
    <section className={classes.line} aria-label={nameOf(item)} data-row-link>
      <LineTitle item={item} />
      {running ? (
        <RunningLine running={running} />
      ) : (
        <>
          <div className={classes.owner}>
            <OwnerSelect item={item} customers={props.customers} disabled={disabled || props.ownerShared} />
          </div>
          <div className={classes.period}>
            {item.type === 'domain' ? <Period item={item} disabled={disabled} /> : '1 year'}
          </div>
          <Until item={item} />
          <span className={`${classes.price} number`} data-error={price?.error !== undefined || undefined}>
            {price?.error ? '–' : price ? usdText(price.price) : '…'}
          </span>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.remove}
            disabled={disabled}
            aria-label={`Remove ${nameOf(item)} from cart`}
            onClick={() => {
              const removed = cart.remove(item);
              showToast({
                text: `${nameOf(item)} was removed from the cart.`,
                undo: () => cart.restore(removed),
              });
            }}
          >
            <IconX size={16} />
          </ActionIcon>
        </>
      )}
      {remark && !remark.refused ? (
        <Text size="sm" c="var(--warn)" className={classes.wide}>
          {remark.message}
        </Text>
      ) : (
        <Trouble item={item} said={remark?.message ?? null} price={price} />
      )}
      {!running && (item.type === 'domain' || item.type === 'certificate') && (
        <div className={classes.wide}>
          {item.type === 'domain' ? (
            <Group gap="md">
              <Choices item={item} disabled={disabled} />
              {props.addCertificate(item, disabled)}
            </Group>
          ) : (
            props.certificateChoices(item, disabled)
          )}
        </div>
      )}
    </section>
  );
}, isSameLine);

/** Why it cannot be bought, and what helps. */
function Trouble(props: { item: CartItem; said: string | null; price: ItemPrice | undefined }) {
  const { item, said, price } = props;
  const text = said ?? price?.error;
  if (!text) return null;
  return (
    <Text size="sm" c="var(--bad)" className={classes.wide} data-problem={said ? true : undefined}>
      {text}{' '}
      {item.type === 'domain' && (
        <Anchor component={Link} to={`/domains?name=${item.address}`} inherit>
          Find another name
        </Anchor>
      )}
    </Text>
  );
}

/** Until when it will be theirs, if it is bought today. */
function Until({ item }: { item: CartItem }) {
  const until = ownedUntil(item, new Date());
  return <span className={classes.until}>{until ? dayText(until) : 'one more year'}</span>;
}

/** A domain and its certificate are next to each other, so their controls need different names. */
function nameOf(item: CartItem): string {
  return item.type === 'certificate' ? `SSL certificate for ${item.address}` : item.address;
}

/** Bought in an earlier order whose outcome is not known yet: it takes no part in the next one (decisions no. 8). */
function RunningLine({ running }: { running: RunningItem }) {
  const state = useRunningItem(running, (bought) => cart.settleRunning(running, bought));
  const { label, tone } = itemStates[state ?? 'unknown'];
  return (
    <Group gap="xs" role="status" className={classes.wide}>
      <Badge color={tone} variant="light">
        {label}
      </Badge>
      <Text size="sm">{stillBeingConfirmed}</Text>
    </Group>
  );
}

function LineTitle({ item }: { item: CartItem }) {
  return (
    <div className={classes.item} title={item.address}>
      <DomainName name={item.address} copy={false} />
      <div className={classes.kind}>
        <span>{item.type === 'certificate' ? 'With SSL certificate (1 year)' : itemKinds[item.type]}</span>
        {item.type === 'renewal' && <RenewalFlag item={item} />}
      </div>
    </div>
  );
}

/** P1 §2: red when it expires in under 60 days. */
function RenewalFlag({ item }: { item: RenewalItem }) {
  const soon = expiresSoon(new Date(item.expireDate), new Date());
  return <span data-soon={soon || undefined}>Expires {dayText(new Date(item.expireDate))}</span>;
}

/** A customer cannot be changed on renewal or certificate items (P1 §5). */
function OwnerSelect(props: { item: CartItem; customers: readonly CustomerOption[]; disabled: boolean }) {
  const { item, customers } = props;
  const fixed = item.type === 'renewal' || item.type === 'certificate';
  return (
    <LongSelect
      aria-label={`Owner of ${nameOf(item)}`}
      placeholder="Choose a customer"
      data={[...customers]}
      value={item.customerId}
      searchable
      allowDeselect={false}
      rightSectionWidth={24}
      disabled={props.disabled || fixed}
      onChange={(customerId) => cart.update({ ...item, customerId })}
      nothingFoundMessage="No customers found"
    />
  );
}

function Period({ item, disabled }: { item: DomainItem; disabled: boolean }) {
  return (
    <Select
      aria-label={`Period of ${item.address}`}
      data={registrationYears.map((years) => ({
        value: String(years),
        label: years === 1 ? '1 year' : `${years} years`,
      }))}
      value={String(item.registration)}
      allowDeselect={false}
      rightSectionWidth={24}
      disabled={disabled}
      onChange={(chosen) =>
        cart.update({
          ...item,
          registration: registrationYears.find((years) => String(years) === chosen) ?? 1,
        })
      }
    />
  );
}

function Choices({ item, disabled }: { item: DomainItem; disabled: boolean }) {
  return (
    <>
      <Switch
        size="xs"
        label="Privacy"
        checked={item.whois}
        disabled={disabled}
        onChange={(event) => cart.update({ ...item, whois: event.currentTarget.checked })}
      />
      <Switch
        size="xs"
        label="Auto renew"
        checked={item.autoRenew}
        disabled={disabled}
        onChange={(event) => cart.update({ ...item, autoRenew: event.currentTarget.checked })}
      />
    </>
  );
}
