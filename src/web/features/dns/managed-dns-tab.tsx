import { Alert, Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { type DnsRecord, hostOf, recordData, recordTypes } from '#contracts/values/dns-records.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { lazily } from '../../ui/lazily.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useExportZone } from './api.ts';
import { DeleteRecord } from './delete-record.tsx';
import type { RecordRow } from './record-rows.ts';
import { RecordSkeleton, RecordTable } from './record-table.tsx';
import { useZoneEditor, type ZoneEditor } from './use-zone-editor.ts';

const RecordDialog = lazily(async () => ({ default: (await import('./record-dialog.tsx')).RecordDialog }));
const ChangeReview = lazily(async () => ({ default: (await import('./change-review.tsx')).ChangeReview }));
const HistoryDialog = lazily(() => import('./history-dialog.tsx'));
const ImportDialog = lazily(() => import('./import-dialog.tsx'));
const TemplateDialog = lazily(() => import('./template-dialog.tsx'));

type Opened =
  | { kind: 'add' | 'history' | 'import' | 'templates' | 'review' }
  | { kind: 'edit'; record: DnsRecord }
  | { kind: 'delete'; record: DnsRecord };

/** P2 §2, Managed DNS: the records of a domain. */
export function ManagedDnsTab(props: { address: string; mayEdit: boolean; mayTemplate: boolean }) {
  const { address, mayEdit } = props;
  const editor = useZoneEditor(address);
  const [opened, setOpened] = useState<Opened | null>(null);
  const { zone, base } = editor;
  if (!base) {
    return zone.error ? <ErrorState error={zone.error} onRetry={zone.refetch} /> : <RecordSkeleton />;
  }
  return (
    <Stack gap="md">
      <UnsavedGuard
        dirty={editor.changes.length > 0}
        question="Leave without saving the collected changes?"
      />
      {zone.error && <ErrorState error={zone.error} onRetry={zone.refetch} />}
      <Tools address={address} mayEdit={mayEdit} onOpen={setOpened} />
      {mayEdit && <Collecting editor={editor} onReview={() => setOpened({ kind: 'review' })} />}
      <LastChange editor={editor} />
      <Records address={address} editor={editor} mayEdit={mayEdit} onOpen={setOpened} />
      <Suspense>
        <Dialogs {...props} editor={editor} opened={opened} onClose={() => setOpened(null)} />
      </Suspense>
    </Stack>
  );
}

function Tools(props: { address: string; mayEdit: boolean; onOpen: (opened: Opened) => void }) {
  const { onOpen } = props;
  const exporting = useExportZone(props.address);
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Filters />
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => onOpen({ kind: 'history' })}>
            History
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={exporting.isPending}
            onClick={() => exporting.mutate(undefined)}
          >
            {exporting.isPending ? 'Exporting...' : 'Export'}
          </Button>
          {props.mayEdit && (
            <>
              <Button variant="default" size="xs" onClick={() => onOpen({ kind: 'import' })}>
                Import
              </Button>
              <Button variant="default" size="xs" onClick={() => onOpen({ kind: 'templates' })}>
                Templates
              </Button>
              <Button
                size="xs"
                leftSection={<IconPlus size={16} aria-hidden />}
                onClick={() => onOpen({ kind: 'add' })}
              >
                Add
              </Button>
            </>
          )}
        </Group>
      </Group>
      {exporting.error && (
        <Alert color="red" variant="light" role="alert">
          {exporting.error.message}
        </Alert>
      )}
    </>
  );
}

const allTypes = 'All types';

/** What is shown, in the address: a link shows a colleague the same. */
function useFilters() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (change: { kind?: string | undefined; search?: string | undefined }) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => ({ ...previous, ...change }),
      replace: true,
      resetScroll: false,
    });
  const type = recordTypes.find((known) => known === search.kind);
  return { type, text: search.search ?? '', set };
}

function Filters() {
  const { type, text, set } = useFilters();
  return (
    <Group gap="xs">
      <Select
        aria-label="Record type"
        data={[allTypes, ...recordTypes]}
        value={type ?? allTypes}
        allowDeselect={false}
        w={130}
        onChange={(value) => set({ kind: value === allTypes ? undefined : (value ?? undefined) })}
      />
      <TextInput
        aria-label="Search the records"
        placeholder="Search the records"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        maxLength={200}
        w={{ base: '100%', xs: 220 }}
        onChange={(event) => set({ search: event.currentTarget.value || undefined })}
      />
    </Group>
  );
}

function Collecting({ editor, onReview }: { editor: ZoneEditor; onReview: () => void }) {
  const count = editor.changes.length;
  return (
    <Group gap="md" mih={30}>
      <Switch
        label="Collect changes and save them as one"
        checked={editor.collecting || count > 0}
        disabled={count > 0}
        onChange={(event) => editor.setCollecting(event.currentTarget.checked)}
      />
      {count > 0 && (
        <Group gap="xs">
          <Text size="sm" role="status">
            {count === 1 ? '1 change is' : `${count} changes are`} not saved yet.
          </Text>
          <Button size="xs" onClick={onReview}>
            Review and save
          </Button>
          <Button size="xs" variant="default" onClick={editor.discard}>
            Discard
          </Button>
        </Group>
      )}
    </Group>
  );
}

/** Undo where undo is possible. */
function LastChange({ editor }: { editor: ZoneEditor }) {
  const { undo, last } = editor;
  if (undo.error) {
    return (
      <Alert color="yellow" variant="light" role="alert">
        {undo.error.message}
      </Alert>
    );
  }
  if (!last || editor.changes.length > 0) return null;
  return (
    <Group gap="xs" role="status">
      <Text size="sm">Saved.</Text>
      <Button size="compact-sm" variant="default" disabled={undo.isPending} onClick={editor.undoLast}>
        {undo.isPending ? 'Undoing...' : 'Undo'}
      </Button>
    </Group>
  );
}

function Records(props: {
  address: string;
  editor: ZoneEditor;
  mayEdit: boolean;
  onOpen: (opened: Opened) => void;
}) {
  const { address, editor, onOpen } = props;
  const { type, text, set } = useFilters();
  const rows = editor.rows.filter((row) => shows(row, address, type, text));
  if (editor.rows.length === 0) {
    return (
      <EmptyState
        title="No records yet"
        text="Add a record, import a zone file, or apply a template of your mail or web provider."
      />
    );
  }
  if (rows.length === 0) {
    return (
      <EmptyState
        title="No records found"
        action={
          <Button variant="default" onClick={() => set({ kind: undefined, search: undefined })}>
            Show all records
          </Button>
        }
      />
    );
  }
  return (
    <>
      <RecordTable
        domain={address}
        rows={rows}
        onEdit={props.mayEdit ? ({ record }) => onOpen({ kind: 'edit', record }) : undefined}
        onDelete={({ record }) => onOpen({ kind: 'delete', record })}
        onTakeBack={editor.takeBack}
      />
      <Text size="sm" c="dimmed" role="status">
        {rows.length === editor.rows.length
          ? `${rows.length} ${rows.length === 1 ? 'record' : 'records'}`
          : `${rows.length} of ${editor.rows.length} records`}
      </Text>
    </>
  );
}

function shows({ record }: RecordRow, domain: string, type: string | undefined, text: string): boolean {
  if (type && record.type !== type) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  return `${hostOf(record, domain)} ${recordData(record)}`.toLowerCase().includes(wanted);
}

function Dialogs(props: {
  address: string;
  mayTemplate: boolean;
  editor: ZoneEditor;
  opened: Opened | null;
  onClose: () => void;
}) {
  const { address, editor, opened, onClose } = props;
  const { base, changes, zone } = editor;
  if (!opened || !base) return null;
  const collects = editor.collecting || changes.length > 0;
  const onSaved = (...sides: Parameters<typeof editor.saved>) => {
    editor.saved(...sides);
    onClose();
  };
  const onCollect = collects
    ? (change: Parameters<typeof editor.collect>[0]) => {
        editor.collect(change);
        onClose();
      }
    : null;
  // What is compared or applied as a whole is so against the zone as it is now.
  const common = { domain: address, zone: zone.data ?? base, onSaved, onClose };
  switch (opened.kind) {
    case 'add':
    case 'edit':
      return (
        <RecordDialog
          {...{ domain: address, zone: base, collected: changes, onCollect, onSaved, onClose }}
          edited={opened.kind === 'edit' ? opened.record : null}
        />
      );
    case 'delete':
      return (
        <DeleteRecord
          {...{ domain: address, zone: base, onCollect, onSaved, onClose }}
          record={opened.record}
        />
      );
    case 'review':
      return (
        <ChangeReview
          {...{ domain: address, base, changes, onSaved, onClose }}
          title="Save collected changes"
        />
      );
    case 'history':
      return <HistoryDialog {...common} />;
    case 'import':
      return <ImportDialog {...common} />;
    case 'templates':
      return <TemplateDialog {...common} mayTemplate={props.mayTemplate} />;
  }
}
