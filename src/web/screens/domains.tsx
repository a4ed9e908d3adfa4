import { Button } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { parseSearch } from '#contracts/values/domain-name.ts';
import { useLookup } from '../features/domains/api.ts';
import { LookupResultView, LookupSkeleton, pickResult } from '../features/domains/lookup-result.tsx';
import { cart, newDomainItem } from '../features/orders/cart.ts';
import { useCart } from '../features/orders/use-cart.ts';
import { useProfile } from '../features/users/api.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { useDocumentTitle } from '../ui/site-name.ts';

/** /domains (P1 §2): what the search found. The name is in the address, so that a link shows a colleague the same. */
export default function DomainsScreen() {
  const { name, picked } = useSearch({ strict: false });
  useDocumentTitle(name ?? 'Search for domains');
  const profile = useProfile();
  const { has } = useCart(profile.data?.userId);
  const parsed = name ? parseSearch(name) : null;
  const lookup = useLookup(parsed?.ok ? parsed.domain : null);
  return (
    <>
      {!name ? (
        <EmptyState title="Search your next domain" text="Type a name into the box at the top." />
      ) : parsed?.ok === false ? (
        <EmptyState
          title={parsed.message}
          text={`"${name}" cannot be searched. Type a name into the box at the top.`}
        />
      ) : lookup.error ? (
        <ErrorState error={lookup.error} onRetry={lookup.refetch} />
      ) : lookup.data ? (
        <LookupResultView
          result={pickResult(lookup.data, picked)}
          suggesting={lookup.suggesting}
          actions={{
            inCart: has,
            onAdd: (address) => cart.add(newDomainItem(address)),
            onRemove: (address) => cart.remove({ type: 'domain', address }),
            goToDomain: (domain) => (
              <Button
                variant="light"
                renderRoot={(root) => <Link to="/domain/$domain/{-$tab}" params={{ domain }} {...root} />}
              >
                Open domain
              </Button>
            ),
            goToCart: (
              <Button component={Link} to="/cart">
                Go to cart
              </Button>
            ),
          }}
        />
      ) : (
        <LookupSkeleton />
      )}
    </>
  );
}
