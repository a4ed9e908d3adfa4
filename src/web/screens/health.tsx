import { Anchor, Button, Group, Skeleton, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { areaTitles, healthAreas, healthFindings } from '#contracts/values/health.ts';
import { FixButton } from '../features/changes/fix-button.tsx';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { type BoardFilter, useHealthBoard, wishOfBoard } from '../features/health/api.ts';
import { FindingList } from '../features/health/finding-list.tsx';
import { heldText } from '../features/health/held-text.ts';
import { fixAllLabel, kindChoices } from '../features/health/kind-choices.ts';
import { ReportButton } from '../features/health/report-button.tsx';
import { useMay } from '../features/users/api.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { Card } from '../ui/card.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FilterChips } from '../ui/filter-chips.tsx';
import { ChoiceFilter } from '../ui/filters.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { Page } from '../ui/page.tsx';

type Kind = keyof typeof healthFindings;

/** /health: what is wrong with the domains as the world sees them, the weightiest first. */
export default function HealthScreen() {
  const { setState, kind, customer, tab } = useTableState();
  const staff = useMay('attention.manage');
  const mayFix = useMay('changes.manage');
  const area = healthAreas.find((name) => name === tab);
  const chosen = kind !== undefined && Object.hasOwn(healthFindings, kind) ? (kind as Kind) : undefined;
  const filter: BoardFilter = {
    ...(area ? { area } : {}),
    ...(chosen ? { kind: chosen } : {}),
    ...(customer ? { customerId: customer } : {}),
    ...(tab === 'muted' ? { muted: 'true' } : {}),
  };
  const board = useHealthBoard(filter);
  const customers = useCustomerChoices();
  // A customer's own user has one customer.
  const reported = staff ? customer : customers.data?.[0]?.customerId;
  const countOf = (of: (kind: Kind) => boolean) =>
    board.counts?.filter((one) => of(one.kind)).reduce((sum, { count }) => sum + count, 0);
  const chips = [
    ...healthAreas.map((name) => ({
      ...{ key: name, label: areaTitles[name], active: name === area },
      ...(tab === 'muted' ? {} : { count: countOf((one) => healthFindings[one].area === name) }),
    })),
    ...(staff ? [{ key: 'muted', label: 'Muted', active: tab === 'muted' }] : []),
  ].map((chip) => ({ ...chip, onToggle: () => setState({ tab: chip.active ? undefined : chip.key }) }));
  return (
    <Page
      title="Health"
      below="Every domain is checked daily, and after each change to its DNS records."
      action={
        <Button variant="default" component={Link} to="/health/watched" search={{ customer } as never}>
          Watched domains
        </Button>
      }
    >
      <Stack gap="md">
        <Group gap="sm">
          <FilterChips label="Area" chips={chips} counting={board.counts === undefined} />
          <ChoiceFilter
            label="Finding"
            all="Every finding"
            // With the other choice and the areas on one line of the narrowest desktop.
            width={205}
            value={chosen}
            data={kindChoices(board.counts, chosen)}
            onChange={(value) => setState({ kind: value })}
          />
          {staff && (
            <ChoiceFilter
              label="Customer"
              all="All customers"
              width={185}
              value={customer}
              data={customerOptions(customers.data)}
              onChange={(value) => setState({ customer: value })}
            />
          )}
          {reported && (
            <>
              <Button variant="default" component={Link} to={`/health/report/${reported}` as never}>
                Report
              </Button>
              <ReportButton key={reported} customerId={reported} />
            </>
          )}
        </Group>
        {board.error && <ErrorState error={board.error} onRetry={board.refetch} />}
        <Findings board={board} staff={staff} mayFix={mayFix} all={chosen ? filter : null} />
      </Stack>
    </Page>
  );
}

function Findings(props: {
  board: ReturnType<typeof useHealthBoard>;
  staff: boolean;
  mayFix: boolean;
  /** One kind of finding is shown: it can be mended in all of its domains. */
  all: BoardFilter | null;
}) {
  const { board, staff, mayFix, all } = props;
  if (board.rows === undefined) {
    if (board.error) return null;
    return (
      <div role="status" aria-label="Loading findings...">
        <Skeleton height={280} />
      </div>
    );
  }
  if (board.rows.length === 0)
    return (
      <EmptyState
        title="Nothing was found here"
        text="Faults of your domains’ DNS, mail and websites are listed here, with what to do about them."
      />
    );
  const mendable = board.rows.find(({ fix }) => fix !== null);
  const found = board.counts?.find(({ kind }) => kind === all?.kind)?.count ?? 0;
  return (
    <Card
      flush
      title="Findings"
      end={
        mayFix &&
        all &&
        mendable?.fix && (
          <FixButton finding={mendable.title} label={fixAllLabel(found)} wish={() => wishOfBoard(all)} />
        )
      }
    >
      <FindingList
        findings={board.rows}
        mayMute={staff}
        fix={
          mayFix
            ? ({ title, fix, domain }) =>
                fix && <FixButton finding={title} label="Fix" wish={async () => ({ fix, names: [domain] })} />
            : undefined
        }
        about={(row) => (
          <div>
            <Anchor
              component={Link}
              to={`/domain/${row.domain}` as never}
              search={{ tab: 'health' } as never}
              inherit
            >
              <DomainName name={row.domain} copy={false} />
            </Anchor>
            {staff && row.customer !== '' && ` · ${row.customer}`}
            {row.watched && ` · ${heldText(row.watched)}`}
          </div>
        )}
      />
      <MoreButton list={board} />
    </Card>
  );
}
