import { Anchor, Badge, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { DirectCharge } from '#contracts/operations/direct-billing.ts';
import { usdText } from '#contracts/values/format.ts';
import { useDirectCharges } from '../features/direct-billing/api.ts';
import { type AskedCharge, ChargeActions, ChargeDialog } from '../features/direct-billing/charge-actions.tsx';
import {
  backText,
  chargeNotes,
  chargeState,
  stoppedText,
  whatFor,
} from '../features/direct-billing/charge-texts.ts';
import { headings } from '../lib/headings.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime, Day } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { ShowAll } from '../ui/show-all.tsx';

/** /direct-billing: what directly billed customers were charged, and what is still owed (decisions no. 24). */
export default function DirectBillingScreen() {
  const { state, setState, showAll, kind, customer, charge } = useTableState('-createdAt');
  const shown: keyof typeof emptyTitles = kind === 'open' || kind === 'disputed' ? kind : 'all';
  const [asked, setAsked] = useState<AskedCharge | null>(null);
  const columns = useMemo(() => columnsOf(setAsked), []);
  const charges = useDirectCharges({
    ...state,
    sort: state.sort as '-createdAt',
    ...(shown === 'open' ? { open: 'true' } : {}),
    ...(shown === 'disputed' ? { stopping: 'true' } : {}),
    ...(customer ? { customerId: customer } : {}),
    ...(charge ? { chargeId: charge } : {}),
  });
  return (
    <Page title={headings['/direct-billing']}>
      <Text c="dimmed" mb="md" maw={720}>
        Customers with direct billing pay the price plus your markup to your own payment account, after the
        registrar has confirmed. A charge that fails stays open here and never affects the domain.
      </Text>
      <DataTable
        label="Direct billing"
        columns={columns}
        rows={charges.data?.rows}
        total={charges.data?.meta.total}
        rowKey={(charge) => charge.chargeId}
        state={state}
        // Who searches looks for others than the one that a link has led to.
        onState={(change) => setState({ ...change, ...(change.search ? { charge: undefined } : {}) })}
        loading={charges.isFetching}
        error={charges.error}
        onRetry={charges.refetch}
        loadingText="Loading charges..."
        searchLabel="Search by customer or domain"
        filters={
          <>
            <SegmentedControl
              aria-label="Which charges"
              size="sm"
              value={shown}
              data={[
                { value: 'all', label: 'All' },
                { value: 'open', label: 'Open' },
                { value: 'disputed', label: 'Disputed' },
              ]}
              onChange={(value) =>
                setState({ kind: value === 'all' ? undefined : value, charge: undefined, page: 1 })
              }
            />
            {(charge || customer) && showAll && <ShowAll onPress={showAll} />}
          </>
        }
        empty={
          <EmptyState
            title={emptyTitles[shown]}
            {...(shown !== 'all'
              ? {}
              : { text: "Direct billing is switched on in a customer's Billing tab." })}
          />
        }
      />
      <ChargeDialog asked={asked} onClose={() => setAsked(null)} />
    </Page>
  );
}

const emptyTitles = {
  all: 'No charges found',
  open: 'No open charges',
  disputed: 'No disputes stop charges',
};

const columnsOf = (onAsk: (asked: AskedCharge) => void): Column<DirectCharge>[] => [
  {
    key: 'customer',
    title: 'Customer',
    sort: 'customer',
    width: '20%',
    render: (charge) => (
      <Anchor
        component={Link}
        to="/customers/$customerId/{-$tab}"
        params={{ customerId: charge.customerId, tab: 'billing' } as never}
        c="inherit"
        fw={600}
      >
        {charge.customer}
      </Anchor>
    ),
  },
  {
    key: 'what',
    title: 'For',
    width: '26%',
    gives: 3,
    render: (charge) => (
      <Anchor component={Link} to={`/orders/${charge.orderId}` as never} c="inherit" underline="always">
        {whatFor(charge)}
      </Anchor>
    ),
  },
  {
    key: 'createdAt',
    title: 'Date',
    sort: 'createdAt',
    gives: 1,
    render: (charge) => <Day at={charge.createdAt} />,
  },
  { key: 'state', title: 'State', width: '34%', render: (charge) => <State charge={charge} /> },
  {
    key: 'amount',
    title: 'Amount',
    sort: 'amount',
    align: 'right',
    render: (charge) => <Amount charge={charge} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    hideTitle: true,
    align: 'right',
    render: (charge) => <ChargeActions charge={charge} onAsk={onAsk} />,
  },
];

function Amount({ charge }: { charge: DirectCharge }) {
  const markup = charge.items.reduce((sum, item) => sum + item.markup, 0);
  return (
    <Stack gap={0} align="flex-end">
      <span className="number">{usdText(charge.amount)}</span>
      <Text size="xs" c="dimmed" className="number">
        {charge.refunded > 0 ? backText(charge) : `${usdText(markup)} markup`}
      </Text>
    </Stack>
  );
}

/** Rows are of one line each; what somebody has to do about a charge stands at the end of its notes. */
const whole = { whiteSpace: 'normal', overflowWrap: 'anywhere' } as const;

function State({ charge }: { charge: DirectCharge }) {
  const { label, tone } = chargeState(charge);
  const stopped = stoppedText(charge);
  return (
    <Stack gap={2} py={4} align="flex-start">
      <Badge color={tone} variant="light" tt="none">
        {label}
      </Badge>
      {chargeNotes(charge).map((text) => (
        <Text key={text} size="xs" c="dimmed" style={whole}>
          {text}
        </Text>
      ))}
      {charge.chargesStopped && stopped && (
        <Text size="xs" c="dimmed" style={whole}>
          Charges have been stopped since <Day at={charge.chargesStopped.since} />
          {stopped}
        </Text>
      )}
      {charge.nextTryAt && (
        <Text size="xs" c="dimmed" style={whole}>
          Next try on <DateTime at={charge.nextTryAt} />
        </Text>
      )}
    </Stack>
  );
}
