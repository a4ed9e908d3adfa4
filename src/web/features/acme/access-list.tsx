import { Button, Text } from '@mantine/core';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { Chip } from '../../ui/chip.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Day } from '../../ui/date-time.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { hostsText, stateTexts, usedText } from './texts.ts';

/** Name, for whom, one state, when it was used last, how much of its limits is used, and its end. */
export function accessColumns(
  withCustomer: boolean,
  onRevoke: (access: AcmeAccess) => void,
): Column<AcmeAccess>[] {
  const customer: Column<AcmeAccess> = {
    key: 'customer',
    title: 'Customer',
    sort: 'customer',
    width: '40%',
    gives: 2,
    render: (row) => row.customer,
  };
  return [
    { key: 'name', title: 'Name', sort: 'name', width: '60%', render: (row) => <Name row={row} /> },
    ...(withCustomer ? [customer] : []),
    {
      key: 'state',
      title: 'Status',
      render: (row) => <State access={row} />,
    },
    {
      key: 'used',
      title: 'Last used',
      sort: 'lastUsedAt',
      render: (row) => (row.lastUsedAt ? <Day at={row.lastUsedAt} /> : 'Never'),
    },
    {
      key: 'limits',
      title: 'Bought this month',
      gives: 1,
      render: (row) => <span className="number">{usedText(row)}</span>,
    },
    {
      key: 'revoke',
      title: 'Revoke',
      hideTitle: true,
      align: 'right',
      render: (row) =>
        row.mayChange && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Revoke ${row.name}`}
            onClick={() => onRevoke(row)}
          >
            Revoke
          </Button>
        ),
    },
  ];
}

/** What failed last comes before that it works: it is why somebody looks. */
export function State({ access }: { access: AcmeAccess }) {
  if (access.state === 'active' && access.problem) return <Chip tone="warn">Last request failed</Chip>;
  const { tone, text } = stateTexts[access.state];
  return <Chip tone={tone}>{text}</Chip>;
}

function Name({ row }: { row: AcmeAccess }) {
  return (
    <div>
      <RowLink to={`/certificates/acme/${row.id}`}>{row.name}</RowLink>
      <Text size="xs" c="dimmed" truncate>
        {hostsText(row.hosts)}
      </Text>
    </div>
  );
}
