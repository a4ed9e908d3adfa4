import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { PriceRow, Prices } from '#contracts/operations/operator.ts';
import { decimalText, momentText, usdText } from '#contracts/values/format.ts';
import { nearestCents } from '#contracts/values/money.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { ApiError, faultAt } from '../../lib/api-error.ts';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { usePrices, useSetPrices } from './api.ts';
import { changesOf, changeText, type Drafts, keyOf, type PriceChange, problemOf } from './price-drafts.ts';

const kinds = { new: 'New', renewal: 'Renewal', transfer: 'Transfer' } as const;

/** The price list: what each thing costs, is sold for, and from when. Changes make a new version. */
export function PricesTab() {
  const prices = usePrices();
  const [drafts, setDrafts] = useState<Drafts>({});
  const draft = (row: PriceRow, text: string) => setDrafts((before) => ({ ...before, [keyOf(row)]: text }));
  return (
    <Stack gap="md">
      <section>
        {prices.data && (
          <Text size="sm" c="dimmed" mb="md" maw={720}>
            Prices of one year in US dollars. Without an entry the price is the cost plus{' '}
            {prices.data.defaultMargin.domain}% for domains and {prices.data.defaultMargin.certificate}% for
            certificates. Nothing is sold below its cost.
            {prices.data.rows.some(({ next }) => next !== null) &&
              ' To take back a later price, enter the price that is to stay, effective from the same time.'}
          </Text>
        )}
        <DataTable
          label="Price list"
          columns={columnsWith(drafts, draft)}
          rows={prices.data?.rows}
          rowKey={keyOf}
          loading={prices.isFetching}
          error={prices.error}
          onRetry={prices.refetch}
          loadingText="Loading prices..."
          empty={<Text c="dimmed">Nothing is on offer.</Text>}
        />
      </section>
      {prices.data && <NewVersion rows={prices.data.rows} drafts={drafts} onDone={() => setDrafts({})} />}
      {prices.data && prices.data.versions.length > 0 && <Versions versions={prices.data.versions} />}
    </Stack>
  );
}

function columnsWith(drafts: Drafts, onDraft: (row: PriceRow, text: string) => void): Column<PriceRow>[] {
  const amount = (value: number | null) =>
    value === null ? '–' : <span className="number">{usdText(value)}</span>;
  return [
    {
      key: 'label',
      title: 'Product',
      render: (row) => (
        <Text size="sm" fw={600}>
          {row.label}
        </Text>
      ),
    },
    { key: 'kind', title: 'Kind', render: (row) => kinds[row.kind] },
    { key: 'cost', title: 'Cost', align: 'right', render: (row) => amount(row.cost) },
    { key: 'price', title: 'Price', align: 'right', render: (row) => amount(row.price) },
    {
      key: 'margin',
      title: 'Margin',
      align: 'right',
      render: (row) =>
        row.marginPercent === null ? '–' : <span className="number">{row.marginPercent}%</span>,
    },
    {
      key: 'next',
      title: 'Later',
      render: (row) =>
        row.next && (
          <>
            {row.next.price === null ? 'cost plus margin' : amount(row.next.price)} from{' '}
            <DateTime at={row.next.validFrom} />
          </>
        ),
    },
    {
      key: 'entry',
      title: 'Entry',
      align: 'right',
      render: (row) => (
        <TextInput
          size="xs"
          w={130}
          ml="auto"
          styles={{ input: { textAlign: 'right' } }}
          aria-label={`Price of ${row.label}, ${kinds[row.kind]}`}
          inputMode="decimal"
          placeholder="cost + margin"
          value={drafts[keyOf(row)] ?? (row.listed === null ? '' : decimalText(nearestCents(row.listed)))}
          error={problemOf(drafts[keyOf(row)])}
          onChange={(event) => onDraft(row, event.currentTarget.value)}
        />
      ),
    },
  ];
}

function NewVersion(props: { rows: PriceRow[]; drafts: Drafts; onDone: () => void }) {
  const save = useSetPrices();
  const [note, setNote] = useState('');
  const [from, setFrom] = useState('');
  const [asking, setAsking] = useState(false);
  const changes = changesOf(props.rows, props.drafts, from ? new Date(from) : null);
  const faulty = Object.values(props.drafts).some((text) => problemOf(text) !== null);
  const details = save.error instanceof ApiError ? save.error.details : [];
  const [fromError, noteError] = [faultAt(save.error, 'validFrom'), faultAt(save.error, 'note')];

  function ask(event: FormEvent) {
    event.preventDefault();
    save.reset();
    setAsking(true);
  }
  function confirm() {
    save.mutate(
      {
        entries: changes.map(({ entry }) => entry),
        note,
        ...(from ? { validFrom: new Date(from).toISOString() } : {}),
      },
      {
        onSuccess: () => {
          setNote('');
          setFrom('');
          setAsking(false);
          props.onDone();
        },
        onError: () => setAsking(false),
      },
    );
  }
  return (
    <Card title="New version">
      <form onSubmit={ask}>
        <UnsavedGuard dirty={changes.length > 0 || faulty} question="Leave without saving the prices?" />
        <Stack>
          <Group align="flex-start">
            <TextInput
              type="datetime-local"
              label="Effective from"
              description="Leave empty to apply at once"
              value={from}
              error={fromError}
              onChange={(event) => setFrom(event.currentTarget.value)}
            />
            <TextInput
              label="Note"
              description="Shown in the list of versions"
              maxLength={mostCharacters.reason}
              value={note}
              error={noteError}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
          </Group>
          <div aria-live="polite">
            {save.error && !fromError && !noteError && (
              <Text size="sm" c="var(--bad)">
                {details.map(({ message }) => message).join(' ') || save.error.message}
              </Text>
            )}
            {save.data && (
              <Text size="sm" className="result-ok">
                Version {save.data.version} has been saved.
              </Text>
            )}
          </div>
          <Button
            type="submit"
            disabled={changes.length === 0 || faulty || save.isPending}
            style={{ alignSelf: 'flex-start' }}
          >
            {save.isPending ? 'Saving prices...' : saveLabel(changes.length)}
          </Button>
        </Stack>
        <ConfirmDialog
          opened={asking}
          title="New prices"
          confirmLabel="Save"
          running={save.isPending}
          runningLabel="Saving prices..."
          // A refusal closes it: it is about the form, which tells it.
          error={null}
          onClose={() => setAsking(false)}
          onConfirm={confirm}
        >
          {changes.length === 1 ? 'One price changes' : `${changes.length} prices change`}{' '}
          {from ? `from ${momentText(new Date(from))} on` : 'at once'}, for every organization. What was
          charged before stays as it is; carts show the new prices, and automatic renewals pay them.
          <Figures changes={changes} />
        </ConfirmDialog>
      </form>
    </Card>
  );
}

/** Each price before and after: nobody else looks at them before they are charged. */
function Figures({ changes }: { changes: PriceChange[] }) {
  return (
    <List size="sm" mt="sm" mah={320} style={{ overflowY: 'auto' }}>
      {changes.map((change) => (
        <List.Item key={keyOf(change.row)}>
          {change.row.label}, {kinds[change.row.kind]}: <span className="number">{changeText(change)}</span>
        </List.Item>
      ))}
    </List>
  );
}

const saveLabel = (changed: number) =>
  changed === 0 ? 'Save changed prices' : `Save ${changed} changed price${changed === 1 ? '' : 's'}`;

function Versions({ versions }: { versions: Prices['versions'] }) {
  return (
    <Card flush title="Versions">
      <DataTable
        label="Versions"
        columns={[
          {
            key: 'version',
            title: 'Version',
            render: (row) => <span className="number">{row.version}</span>,
          },
          { key: 'from', title: 'Effective from', render: (row) => <DateTime at={row.validFrom} /> },
          { key: 'made', title: 'Created', render: (row) => <DateTime at={row.createdAt} /> },
          { key: 'note', title: 'Note', width: '60%', render: (row) => row.note },
          {
            key: 'entries',
            title: 'Entries',
            align: 'right',
            render: (row) => <span className="number">{row.entries}</span>,
          },
        ]}
        rows={versions}
        rowKey={(row) => String(row.version)}
        loading={false}
        error={null}
        onRetry={() => undefined}
        loadingText="Loading versions..."
        empty={null}
      />
    </Card>
  );
}
