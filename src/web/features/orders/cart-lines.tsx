import { Button, Checkbox, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { type CartItem, cart, type RunningItem } from './cart.ts';
import { CartLine, type CertificateParts, type CustomerOption } from './cart-line.tsx';
import classes from './cart-lines.module.css';
import { newPricesText, type Remark } from './purchase-problems.ts';
import { type ItemPrice, itemKey, type PriceChange } from './summary.ts';

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
    /** What the last try to buy said of this item. */
    remarkOn: (item: CartItem) => Remark | null;
    prices: ReadonlyMap<string, ItemPrice>;
    /** Prices that are not those that the person knows of. */
    changed: readonly PriceChange[];
  } & CertificateParts,
) {
  const { items, customers, sharedOwner, disabled } = props;
  const domains = items.filter((item) => item.type === 'domain');
  // P1 §5: offered when there are several new domains and several customers.
  const canShare = domains.length > 1 && customers.length > 1;
  const stale = items.filter(
    (item) => props.prices.get(itemKey(item))?.error !== undefined || isRefused(item, props.remarkOn(item)),
  );
  return (
    <Card
      flush
      title="Domain List"
      beside={<span className={classes.what}>Connect domains to owner</span>}
      end={
        canShare && (
          <Checkbox
            label="Same customer for all new domains"
            checked={sharedOwner}
            disabled={disabled}
            onChange={(event) => props.onSharedOwner(event.currentTarget.checked)}
          />
        )
      }
    >
      <div className={classes.list}>
        {customers.length === 0 && (
          <Text size="sm" className={classes.note}>
            You have no customer yet who can own these domains. {props.addCustomer}
          </Text>
        )}
        {props.changed.length > 0 && <NewPrices changed={props.changed} disabled={disabled} />}
        {stale.length > 0 && <Stale items={stale} disabled={disabled} />}
        <div className={classes.head} aria-hidden>
          {['Item', 'Owner', 'Period', 'Yours until', 'Price'].map((title) => (
            <span key={title}>{title}</span>
          ))}
        </div>
        <Lines items={items}>
          {(item) => (
            <CartLine
              item={item}
              running={props.running.find((entry) => itemKey(entry) === itemKey(item))}
              customers={customers}
              disabled={disabled}
              remark={props.remarkOn(item)}
              price={props.prices.get(itemKey(item))}
              certificateChoices={props.certificateChoices}
              addCertificate={props.addCertificate}
              ownerShared={
                canShare && sharedOwner && item.type === 'domain' && item.address !== domains[0]?.address
              }
            />
          )}
        </Lines>
      </div>
    </Card>
  );
}

/** Another signing request mends a certificate. What else is refused cannot be bought any more. */
const isRefused = (item: CartItem, remark: Remark | null) =>
  remark?.refused === true && item.type !== 'certificate';

/** Says that prices are not those that the person knows of, until they have seen it. Each line has its own. */
function NewPrices({ changed, disabled }: { changed: readonly PriceChange[]; disabled: boolean }) {
  return (
    <div className={classes.stale} role="status">
      <span>{newPricesText(changed)}</span>
      <Button
        size="xs"
        variant="default"
        disabled={disabled}
        onClick={() => cart.see(changed.map(({ present }) => present))}
      >
        OK
      </Button>
    </div>
  );
}

/** Lines that cannot be bought any more, mended at one stroke. */
function Stale({ items, disabled }: { items: readonly CartItem[]; disabled: boolean }) {
  const [first] = items;
  if (!first) return null;
  return (
    <div className={classes.stale} role="status">
      <span>
        {items.length === 1
          ? `${first.address} cannot be bought at the moment.`
          : `${items.length} items cannot be bought at the moment.`}
      </span>
      <Button
        size="xs"
        variant="default"
        disabled={disabled}
        onClick={() => {
          const removed = cart.remove(...items);
          showToast({
            text: `${items.length === 1 ? `${first.address} was` : `${items.length} items were`} removed from the cart.`,
            undo: () => cart.restore(removed),
          });
        }}
      >
        {items.length === 1 ? 'Remove it' : 'Remove them'}
      </Button>
    </div>
  );
}

/** More than these are drawn only while they are in sight: each has half a dozen controls. */
const mostDrawn = 30;
/** A line with its controls, before it was measured. */
const linePx = 96;

function Lines(props: { items: readonly CartItem[]; children: (item: CartItem) => ReactNode }) {
  const { items, children } = props;
  if (items.length > mostDrawn) return <ManyLines {...props} />;
  return items.map((item) => (
    <div key={itemKey(item)} data-row>
      {children(item)}
    </div>
  ));
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
            data-row
            style={{ position: 'absolute', insetInline: 0, top: start - topPx }}
          >
            {children(item)}
          </div>
        );
      })}
    </div>
  );
}
