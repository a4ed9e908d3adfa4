import { Anchor, Button, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { MakeAccess, RevokeAccess } from '../features/acme/access-dialogs.tsx';
import { accessColumns } from '../features/acme/access-list.tsx';
import { useAccesses, useAllowance } from '../features/acme/api.ts';
import { newAccessForm } from '../features/acme/form-values.ts';
import { keepKey } from '../features/acme/made-key.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useProfile, useSignInIsOld } from '../features/users/api.ts';
import { hasDraft } from '../lib/drafts.ts';
import { useSession } from '../lib/session.tsx';
import { useTableState } from '../lib/use-table-state.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState, UnreadChoices } from '../ui/error-state.tsx';
import { ChoiceFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';

const states = [
  { value: 'active', label: 'Working' },
  { value: 'expired', label: 'Ended' },
  { value: 'revoked', label: 'Revoked' },
] as const;
type State = (typeof states)[number]['value'];

/** /certificates/acme: by what customers' machines get their certificates, made and revoked. */
export default function AcmeAccessesScreen() {
  const profile = useProfile().data;
  const own = profile?.authorizedClientId ?? null;
  const { state, setState, customer, kind } = useTableState();
  // The customer that a new access begins with.
  const begunWith = own ?? customer ?? null;
  const customers = useCustomerChoices();
  const accesses = useAccesses({
    ...state,
    sort: state.sort as 'name',
    ...(customer ? { customerId: customer } : {}),
    ...(isState(kind) ? { state: kind } : {}),
  });
  // Back from the sign-in that was asked for when it was sent.
  const [making, setMaking] = useState(() => hasDraft(newAccessForm(begunWith)));
  const [doomed, setDoomed] = useState<AcmeAccess | null>(null);
  const allowance = useAllowance(own);
  const mayMake = profile !== undefined && (own === null || (allowance.data ?? null) !== null);
  // Until this is read, nobody knows what a new one may do.
  const known = own === null || allowance.data !== undefined;
  const options = customerOptions(customers.data);
  const filtered = customer !== undefined || kind !== undefined || state.search !== '';
  const button = mayMake && <Button onClick={() => setMaking(true)}>New access</Button>;
  return (
    <Page
      title="ACME access"
      above={<Breadcrumbs trail={[{ to: '/certificates', label: 'Certificates' }]} here="ACME access" />}
      below="Machines with an access get and renew their certificates automatically."
      action={button || undefined}
    >
      {allowance.error && !known && <ErrorState error={allowance.error} onRetry={allowance.refetch} />}
      <DataTable
        label="ACME accesses"
        columns={accessColumns(own === null, setDoomed)}
        rows={accesses.data?.rows}
        total={accesses.data?.meta.total}
        rowKey={(row) => row.id}
        state={state}
        onState={setState}
        loading={accesses.isFetching}
        error={accesses.error}
        onRetry={accesses.refetch}
        loadingText="Loading accesses..."
        searchLabel="Search by name, host or key ID"
        filters={
          <>
            {own === null && (
              <ChoiceFilter
                label="Customer"
                all="All customers"
                width={240}
                data={options}
                value={customer}
                onChange={(value) => setState({ customer: value, page: 1 })}
              />
            )}
            <ChoiceFilter
              label="Status"
              all="Every status"
              width={240}
              searchable={false}
              data={states}
              value={isState(kind) ? kind : undefined}
              onChange={(value) => setState({ kind: value, page: 1 })}
            />
          </>
        }
        empty={<Empty filtered={filtered} mayMake={mayMake} onMake={() => setMaking(true)} />}
      />
      <Text size="sm" c="dimmed" mt="sm">
        A machine needs an ACME client such as certbot. The page of each access has the commands for it.{' '}
        {own !== null && allowance.data === null && 'Your provider makes the accesses for you.'}
      </Text>
      {making && known && (
        <Making
          customers={own === null ? options : null}
          unread={own === null && <UnreadChoices of={[customers]} />}
          customerId={begunWith}
          allowance={allowance.data ?? null}
          onClose={() => setMaking(false)}
        />
      )}
      <RevokeAccess access={doomed} onClose={() => setDoomed(null)} />
    </Page>
  );
}

const isState = (kind: string | undefined): kind is State => states.some(({ value }) => value === kind);

/** The dialog, and then the page of the access with its key. */
function Making(
  props: Pick<
    Parameters<typeof MakeAccess>[0],
    'customers' | 'unread' | 'customerId' | 'allowance' | 'onClose'
  >,
) {
  const session = useSession();
  const navigate = useNavigate();
  const oldSignIn = useSignInIsOld();
  return (
    <MakeAccess
      {...props}
      oldSignIn={oldSignIn}
      // Back to the list as it was filtered.
      onSignInAgain={() => void session.signIn({ fresh: true })}
      onMade={({ id, hmacKey }) => {
        keepKey(id, hmacKey);
        void navigate({ to: '/certificates/acme/$accessId', params: { accessId: id } });
      }}
    />
  );
}

function Empty(props: { filtered: boolean; mayMake: boolean; onMake: () => void }) {
  if (props.filtered) {
    return (
      <EmptyState
        title="No accesses found"
        action={
          <Anchor component={Link} to="/certificates/acme">
            Show all
          </Anchor>
        }
      />
    );
  }
  return (
    <EmptyState
      title="No accesses yet"
      text="Create one for a web server. It then gets and renews its certificates automatically."
      action={props.mayMake && <Button onClick={props.onMake}>New access</Button>}
    />
  );
}
