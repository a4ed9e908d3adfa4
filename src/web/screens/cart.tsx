import { Anchor, Button, Skeleton } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { useBalance } from '../features/billing/api.ts';
import { TopUpLink } from '../features/billing/top-up-link.tsx';
import { useCertificateOffer } from '../features/certificates/api.ts';
import { AddCertificate, CertificateChoices } from '../features/certificates/certificate-choices.tsx';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { type OrderProgress, useCartPrices } from '../features/orders/api.ts';
import { type CartItem, cart, type DomainItem, stillToBuy } from '../features/orders/cart.ts';
import type { CertificateParts } from '../features/orders/cart-line.tsx';
import { CartLines } from '../features/orders/cart-lines.tsx';
import { CheckoutPanel } from '../features/orders/checkout-panel.tsx';
import { PurchaseDialog } from '../features/orders/purchase-dialog.tsx';
import {
  type ItemPrice,
  knownPrices,
  knownSpendable,
  orderBody,
  priceTable,
  stoppedOwners,
} from '../features/orders/summary.ts';
import { useCart, useInCart } from '../features/orders/use-cart.ts';
import { useNewPrices } from '../features/orders/use-new-prices.ts';
import { usePurchaseFlow } from '../features/orders/use-purchase-flow.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { headings } from '../lib/headings.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FailureText } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { Sliced } from '../ui/sliced.tsx';
import classes from './cart.module.css';

/** /cart (P1 §2): review, choose owners, pay from the balance, see what came of each item. */
export default function CartScreen() {
  const userId = useProfile().data?.userId;
  const { items, running, seen, sharedOwner } = useCart(userId);
  const customers = useCustomerChoices();
  const mayTopUp = useMay('balance.topup');
  const navigate = useNavigate();
  const flow = usePurchaseFlow({ userId, onAllBought: () => void navigate({ to: '/customers' }) });
  const result = flow.dialog?.kind === 'result' ? flow.dialog.result : null;
  // What the open dialog tells of as bought is paid already: the sums behind it are those of what is left.
  const buyable = useMemo(() => stillToBuy({ items, running }, result), [items, running, result]);
  // Asked for after what was pressed has been drawn.
  const priced = useDeferredValue(buyable);
  const prices = useCartPrices(priced);
  const table = useMemo(() => priceTable(prices.data), [prices.data]);
  const { changed, remarkOn } = useNewPrices(priced, prices.isPlaceholderData ? noPrices : table, seen);
  const owners = useMemo(() => customerOptions(customers.data), [customers.data]);
  const dialog = (
    <PurchaseDialog
      content={flow.dialog}
      onClose={flow.closeDialog}
      onLeave={flow.leaveDialog}
      topUp={<TopUpLink may={mayTopUp} label="Top up your account" variant="default" />}
    />
  );
  if (items.length === 0) return <EmptyCart>{dialog}</EmptyCart>;
  return (
    <Page title={headings['/cart']}>
      <div className={classes.columns}>
        <div>
          {customers.isError && !customers.data ? (
            <ErrorState error={customers.error} onRetry={customers.refetch} />
          ) : customers.isPending ? (
            <Skeleton className={classes.waiting} />
          ) : (
            <Sliced meanwhile={<Skeleton className={classes.waiting} />}>
              <CartLines
                items={items}
                running={running}
                customers={owners}
                sharedOwner={sharedOwner}
                onSharedOwner={cart.shareOwner}
                addCustomer={
                  <Anchor component={Link} to="/customers/add">
                    Add Customer
                  </Anchor>
                }
                disabled={flow.processing}
                prices={table}
                remarkOn={(item) => flow.remarkOn(item) ?? remarkOn(item)}
                changed={changed}
                certificateChoices={choicesOf}
                addCertificate={addTo}
              />
            </Sliced>
          )}
        </div>
        <div className={classes.aside}>
          {prices.isError && !prices.data ? (
            <ErrorState error={prices.error} onRetry={prices.refetch} />
          ) : (
            <Checkout
              items={buyable}
              prices={table}
              loading={prices.isFetching || priced !== buyable}
              processing={flow.processing}
              progress={flow.progress}
              sent={(cart.unanswered()?.atMs ?? 0) > 0}
              onFinalize={(spendable) =>
                // Where a price is not the one that the person knows of, the portal answers with both, and decides about the funds.
                flow.finalize(
                  orderBody(buyable, knownPrices(table, changed)),
                  changed.length > 0 ? null : spendable,
                )
              }
            />
          )}
        </div>
      </div>
      {dialog}
    </Page>
  );
}

const noPrices: ReadonlyMap<string, ItemPrice> = new Map();
// Of the module, so that a line is drawn again only when something of it has changed.
const choicesOf: CertificateParts['certificateChoices'] = (item, disabled) => (
  <CertificateChoices
    {...{ item, disabled }}
    onChange={cart.update}
    onCsr={(csr, csrName) => cart.setCsr(item.address, csr, csrName)}
  />
);
const addTo: CertificateParts['addCertificate'] = (item, disabled) => <AddToDomain {...{ item, disabled }} />;

/** Order summary and the button, with the balance and the customers' markups. */
function Checkout(props: {
  items: readonly CartItem[];
  prices: ReturnType<typeof priceTable>;
  loading: boolean;
  processing: boolean;
  progress: OrderProgress | null;
  sent: boolean;
  onFinalize: (spendableCents: number | null) => void;
}) {
  const { data, error, refetch } = useBalance();
  const balance = useMemo(() => ({ data, error, refetch }), [data, error, refetch]);
  const customers = useCustomerChoices();
  const mayBuy = useMay('orders.purchase');
  const markups = useMemo(
    () =>
      new Map(
        (customers.data ?? []).flatMap(({ customerId, markups: own }) =>
          own ? [[customerId, own] as const] : [],
        ),
      ),
    [customers.data],
  );
  const known = useMemo(
    () => customers.data && new Set(customers.data.map(({ customerId }) => customerId)),
    [customers.data],
  );
  return (
    <CheckoutPanel
      {...props}
      customers={known ?? null}
      markups={markups}
      stopped={stoppedOwners(props.items, customers.data)}
      balance={balance}
      mayBuy={mayBuy}
      onFinalize={() => props.onFinalize(knownSpendable(balance))}
    />
  );
}

function EmptyCart({ children }: { children: ReactNode }) {
  return (
    <Page title={headings['/cart']}>
      <EmptyState
        title="Your cart is empty"
        text="Names that you add from the search stay here until you buy them."
        action={
          <Button component={Link} to="/domains">
            Search for domains
          </Button>
        }
      />
      {children}
    </Page>
  );
}

/** P1 §4: the first available product, and the domain's customer, who may be chosen later. */
function AddToDomain(props: { item: DomainItem; disabled: boolean }) {
  const { address, customerId } = props.item;
  const hasOne = useInCart({ type: 'certificate', address });
  const offer = useCertificateOffer();
  if (hasOne) return null;
  const add = () =>
    offer.mutate(
      { address, customerId, ownerLater: true },
      { onSuccess: (item) => item && cart.add({ ...item, customerId }) },
    );
  return (
    <div>
      <AddCertificate address={address} disabled={props.disabled || offer.isPending} onAdd={add} />
      <FailureText error={offer.error} />
    </div>
  );
}
