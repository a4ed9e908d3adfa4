import {
  Alert,
  Button,
  Group,
  Paper,
  Progress,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { Link, Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { type CustomerImport, rowKinds } from '#contracts/operations/customer-import.ts';
import { countText } from '#contracts/values/format.ts';
import {
  noticeBeside,
  useDiscardImport,
  useImport,
  useSaveRejects,
  useStartImport,
} from '../features/customers/import-api.ts';
import { ImportRows, kindTexts, useShownKind } from '../features/customers/import-rows.tsx';
import { ApplyAll } from '../features/customers/suggestions.tsx';
import { ApiError } from '../lib/api-error.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { AskedButton } from '../ui/asked-button.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FailureAlert, FailureText } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { useInSight } from '../ui/use-in-sight.ts';

const title = 'Import customers';
const above = <Breadcrumbs trail={[{ to: '/customers', label: 'Customers' }]} here="Import" />;

/** /customers/import/{importId}: what a file would do, before anything is written; then how far the writing is. */
export default function CustomerImportScreen() {
  const { importId = '' } = useParams({ strict: false });
  const found = useImport(importId);
  if (found.data) return <Found key={importId} found={found.data} />;
  if (found.error instanceof ApiError && ['not_found', 'validation_failed'].includes(found.error.code)) {
    return <Navigate to="/customers" replace />;
  }
  return (
    <Page title={title} above={above}>
      {found.error ? (
        <ErrorState error={found.error} onRetry={found.refetch} />
      ) : (
        <Stack role="status" aria-label="Loading import...">
          <Skeleton height={80} />
          <Skeleton height={240} />
        </Stack>
      )}
    </Page>
  );
}

function Found({ found }: { found: CustomerImport }) {
  return (
    <Page title={title} above={above}>
      <Stack gap="lg">
        <Text>
          File: <strong style={{ overflowWrap: 'anywhere' }}>{found.fileName}</strong>
        </Text>
        {found.state === 'ready' && <Decision found={found} />}
        {found.state === 'importing' && <Running found={found} />}
        {found.state === 'done' && <Done found={found} />}
        <KindFilter found={found} />
        <ImportRows found={found} />
      </Stack>
    </Page>
  );
}

const counted = (count: number, one: string, many: string) =>
  `${countText(count)} ${count === 1 ? one : many}`;

function Decision({ found }: { found: CustomerImport }) {
  const start = useStartImport(found.importId);
  const rejects = useSaveRejects(found.importId);
  const { judged } = found;
  const { faulty, same, ...rows } = found.rows;
  const toWrite = rows.new + rows.changed;
  const error = start.error ?? rejects.error;
  const notice = noticeBeside(found.notice, error);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Result of the check">
      <Stack gap="md">
        <div role="status">
          <Text fw={600}>
            {counted(rows.new, 'new customer', 'new customers')},{' '}
            {counted(rows.changed, 'changed', 'changed')}, {counted(same, 'unchanged', 'unchanged')},{' '}
            {counted(faulty, 'faulty row', 'faulty rows')}
          </Text>
          <Text size="sm" c="dimmed">
            Nothing has been written yet.{' '}
            {faulty > 0 &&
              'By default a file is imported as a whole or not at all: apply the suggestions, correct the faulty rows and upload it again, or import the good rows only.'}
            {faulty === 0 &&
              toWrite === 0 &&
              'Every row matches the stored data. There is nothing to import.'}
          </Text>
        </div>
        {notice && (
          <Alert color="yellow" variant="light" role="alert">
            {notice}
          </Alert>
        )}
        <FailureAlert error={error} />
        {found.unread.length > 0 && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Ignored columns: {found.unread.join(', ')}
          </Text>
        )}
        <Group>
          <ApplyAll found={found} />
          {faulty === 0 && toWrite > 0 && (
            <Button disabled={start.isPending} onClick={() => start.mutate({ mode: 'all', judged })}>
              {start.isPending ? 'Importing...' : `Import ${counted(toWrite, 'customer', 'customers')}`}
            </Button>
          )}
          {faulty > 0 && (
            <Button
              variant={found.suggested > 0 ? 'default' : 'filled'}
              disabled={rejects.isPending}
              onClick={() => rejects.mutate(undefined)}
            >
              Download the rejected rows
            </Button>
          )}
          {found.suggested > 0 && (
            <Button variant="default" disabled={rejects.isPending} onClick={() => rejects.mutate('apply')}>
              Download them as suggested
            </Button>
          )}
          {faulty > 0 && toWrite > 0 && (
            <Button
              variant="default"
              disabled={start.isPending}
              onClick={() => start.mutate({ mode: 'good', judged })}
            >
              {start.isPending ? 'Importing...' : `Import the good rows (${countText(toWrite)})`}
            </Button>
          )}
          <Discard found={found} />
        </Group>
      </Stack>
    </Paper>
  );
}

function Discard({ found }: { found: CustomerImport }) {
  const discard = useDiscardImport(found.importId);
  const navigate = useNavigate();
  return (
    <AskedButton
      label="Discard"
      button={{ c: 'var(--bad)' }}
      title="Discard this file"
      runningLabel="Discarding..."
      running={discard.isPending}
      error={discard.error}
      danger
      onConfirm={() => discard.mutate(undefined, { onSuccess: () => void navigate({ to: '/customers' }) })}
    >
      Nothing from {found.fileName} has been written. The result of the check will be deleted.
    </AskedButton>
  );
}

function Running({ found }: { found: CustomerImport }) {
  const { done, total } = found.progress;
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Progress">
      <Stack gap="sm">
        <Text role="status" className="number">
          Importing... {countText(done)} of {countText(total)} customers
        </Text>
        <Progress value={percent} animated aria-label="Import" />
        <Text size="sm" c="dimmed">
          You can leave this page. The import continues, and writes either the whole file or nothing.
        </Text>
      </Stack>
    </Paper>
  );
}

function Done({ found }: { found: CustomerImport }) {
  const rejects = useSaveRejects(found.importId);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Result of the import">
      <Stack gap="sm" align="flex-start">
        <div role="status">
          <Text fw={600} className="result-ok">
            Imported
          </Text>
          <Text size="sm">
            {counted(found.rows.new, 'customer was created', 'customers were created')},{' '}
            {counted(found.rows.changed, 'was changed', 'were changed')}.
            {found.rows.faulty > 0 && ` ${counted(found.rows.faulty, 'row was', 'rows were')} left out.`}
          </Text>
        </div>
        <Group>
          <Button component={Link} to="/customers">
            Go to customers
          </Button>
          {found.rows.faulty > 0 && (
            <Button variant="default" disabled={rejects.isPending} onClick={() => rejects.mutate(undefined)}>
              Download the rejected rows
            </Button>
          )}
        </Group>
        <FailureText error={rejects.error} />
      </Stack>
    </Paper>
  );
}

function KindFilter({ found }: { found: CustomerImport }) {
  const { setState } = useTableState();
  const shown = useShownKind(found);
  const all = Object.values(found.rows).reduce((sum, count) => sum + count, 0);
  const row = useInSight<HTMLDivElement>('[data-active]', shown ?? 'all');
  return (
    <div ref={row} style={{ overflowX: 'auto' }}>
      <SegmentedControl
        aria-label="Rows shown"
        value={shown ?? 'all'}
        onChange={(kind) => setState({ kind, page: 1 })}
        data={[
          { value: 'all', label: `All (${countText(all)})` },
          ...rowKinds.map((kind) => ({
            value: kind,
            label: `${kindTexts[kind]} (${countText(found.rows[kind])})`,
          })),
        ]}
      />
    </div>
  );
}
