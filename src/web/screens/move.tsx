import { Button, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Move } from '#contracts/operations/moves.ts';
import { useBalance } from '../features/billing/api.ts';
import { useCustomerChoices } from '../features/customers/api.ts';
import { useCancelTransferOf } from '../features/domains/transfer-api.ts';
import { useDropMove, useMove } from '../features/moves/api.ts';
import layout from '../features/moves/move-lines.module.css';
import { MoveLines } from '../features/moves/move-lines.tsx';
import { OrderPanel } from '../features/moves/order-panel.tsx';
import { countOf, type Group, groupNames, groups, names, stages } from '../features/moves/texts.ts';
import { knownSpendable } from '../features/orders/summary.ts';
import { ApiError } from '../lib/api-error.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { AskedButton } from '../ui/asked-button.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FilterChips } from '../ui/filter-chips.tsx';
import { Page } from '../ui/page.tsx';
import { SpokenProgress } from '../ui/spoken-progress.tsx';
import { UnreadBalance } from '../ui/unread-balance.tsx';

/** /domain/moves/{id}: what will happen with each name of a list; after the order, where each is and what helps. */
export default function MoveScreen() {
  const { moveId = '' } = useParams({ strict: false });
  const move = useMove(moveId);
  const title = move.data ? `Transfers for ${move.data.customer}` : 'Transfer list';
  return (
    <Page
      title={title}
      above={
        <Breadcrumbs
          trail={[
            { to: '/domain/list', label: 'Domain management' },
            { to: '/domain/moves', label: 'Transfer lists' },
          ]}
          here={title}
        />
      }
      {...(move.data ? { action: <Drop move={move.data} /> } : {})}
    >
      {move.data ? (
        <Contents move={move.data} />
      ) : move.error === null ? (
        <Skeleton height={320} role="status" aria-label="Loading the list..." />
      ) : isMissing(move.error) ? (
        <EmptyState
          title="There is no such list"
          action={
            <Button component={Link} to="/domain/moves">
              Paste a list
            </Button>
          }
        />
      ) : (
        <ErrorState error={move.error} onRetry={move.refetch} />
      )}
    </Page>
  );
}

const isMissing = (error: Error) =>
  error instanceof ApiError && (error.code === 'not_found' || error.code === 'validation_failed');

function Contents({ move }: { move: Move }) {
  const { tab, setState } = useTableState();
  const balance = useBalance();
  const customers = useCustomerChoices();
  const cancel = useCancelTransferOf();
  const group = groupNames.find((name) => name === tab);
  const inGroup = (name: Group) => move.lines.filter(({ stage }) => stages[stage].group === name);
  const shown = group && inGroup(group).length > 0 ? inGroup(group) : move.lines;
  const chips = groupNames.map((name) => ({
    ...{ key: name, label: groups[name], count: countOf(move.counts, name), active: name === group },
    ...(name === 'trouble' ? { tone: 'bad' as const } : {}),
    onToggle: () => setState({ tab: name === group ? undefined : name }),
  }));
  const customer = customers.data?.find(({ customerId }) => customerId === move.customerId);
  return (
    <Stack gap="md">
      <Checking move={move} />
      <div className={layout.columns}>
        <Card flush title={names(move.lines.length)} beside={<FilterChips label="State" chips={chips} />}>
          <MoveLines
            moveId={move.id}
            lines={shown}
            cancel={{
              run: (domain, done) => cancel.mutate(domain, { onSuccess: done }),
              running: cancel.isPending,
              error: cancel.error,
              forget: cancel.reset,
            }}
          />
        </Card>
        <OrderPanel
          move={move}
          spendableCents={knownSpendable(balance)}
          unread={<UnreadBalance of={balance} />}
          markups={customer?.markups ?? null}
          stopped={Boolean(customer?.markups && customer.chargesStopped)}
        />
      </div>
    </Stack>
  );
}

/** How far the check is; it goes on without this page. */
function Checking({ move }: { move: Move }) {
  const open = move.counts.checking ?? 0;
  const all = move.lines.length;
  const done = all - open;
  return (
    <>
      <SpokenProgress
        {...{ done, of: all }}
        running={open > 0 ? 'Checking' : null}
        end={`${names(all)} checked`}
      />
      {open > 0 && (
        <div>
          <Text size="sm" className="number">
            {done} of {names(all)} checked. You can leave this page. It continues in the background.
          </Text>
          <Progress value={(done / all) * 100} animated aria-label="Checked" />
        </div>
      )}
    </>
  );
}

function Drop({ move }: { move: Move }) {
  const drop = useDropMove(move.id);
  const navigate = useNavigate();
  const unordered = move.lines.filter(({ orderId }) => orderId === null).length;
  if (unordered === 0) return null;
  const gone = unordered === move.lines.length;
  const remove = (close: () => void) =>
    drop.mutate(undefined, {
      onSuccess: () => {
        close();
        if (gone) void navigate({ to: '/domain/moves' });
      },
    });
  return (
    <AskedButton
      label={gone ? 'Delete the list' : 'Delete the domains not ordered'}
      button={{ c: 'var(--bad)' }}
      title={gone ? 'Delete this list?' : `Delete ${names(unordered)} from this list?`}
      confirmLabel="Delete"
      runningLabel="Deleting..."
      running={drop.isPending}
      error={drop.error}
      danger
      onConfirm={remove}
    >
      The codes of {names(unordered)} are deleted. Nothing has been ordered for them.
    </AskedButton>
  );
}
