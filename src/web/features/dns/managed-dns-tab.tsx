import { Alert, Button, Group, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import { type DnsRecord, hostOf, recordData } from '#contracts/values/dns-records.ts';
import { momentText } from '#contracts/values/format.ts';
import { zoneTextMost } from '#contracts/values/limits.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { putBack } from '#contracts/values/zone-difference.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { lazily } from '../../ui/lazily.tsx';
import { Sliced } from '../../ui/sliced.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { type LastChange as LastChangeOfRecord, recordsIn, useLastChanges } from './api.ts';
import { BeforeThat } from './before-that.tsx';
import { DeleteRecord } from './delete-record.tsx';
import { useGoOn } from './go-on.ts';
import type { PuttingBack } from './history-dialog.tsx';
import classes from './managed-dns-tab.module.css';
import {
  type Edited,
  nothingOpen,
  type OpenedDialog,
  withDialog,
  withEdited,
  withEscape,
  withSaving,
  withTyped,
  withWanted,
} from './opened.ts';
import { pendingZone, type RecordRow } from './record-rows.ts';
import { RecordSkeleton, RecordTable } from './record-table.tsx';
import { useZoneEditor, type ZoneEditor } from './use-zone-editor.ts';
import { useFilters, ZoneTools } from './zone-tools.tsx';

const RecordDialog = lazily(async () => ({ default: (await import('./record-dialog.tsx')).RecordDialog }));
const RecordForm = lazily(async () => ({ default: (await import('./record-dialog.tsx')).RecordForm }));
const ChangeTray = lazily(async () => ({ default: (await import('./change-review.tsx')).ChangeTray }));
const PutBackReview = lazily(async () => ({ default: (await import('./history-dialog.tsx')).PutBackReview }));
const HistoryDialog = lazily(() => import('./history-dialog.tsx'));
const ImportDialog = lazily(() => import('./import-dialog.tsx'));
const TemplateDialog = lazily(() => import('./template-dialog.tsx'));

/** P2 §2, Managed DNS: the records of a domain. What is around them is there before they are, so that it stays where it is. */
export function ManagedDnsTab(props: { address: string; mayEdit: boolean; mayTemplate: boolean }) {
  const { address, mayEdit } = props;
  const editor = useZoneEditor(address);
  const [opened, setOpened] = useState(nothingOpen);
  const open = (dialog: OpenedDialog | null) => setOpened((now) => withDialog(now, dialog));
  const edit = (row: Edited | null) => setOpened((now) => withEdited(now, row));
  const tellTyped = useCallback((typed: boolean) => setOpened((now) => withTyped(now, typed)), []);
  const tellSaving = useCallback((saving: boolean) => setOpened((now) => withSaving(now, saving)), []);
  const { zone, base } = editor;
  const isIdle = opened.dialog === null && opened.edited === null;
  const losing = useLosing(opened.wanted);
  const goOn = useGoOn(opened.edited?.key ?? null);
  usePastedRecords(mayEdit && base !== undefined && isIdle, (pasted) => open({ kind: 'import', pasted }));
  if (!base && zone.error) return <ErrorState error={zone.error} onRetry={zone.refetch} />;
  return (
    <Stack gap="md">
      <UnsavedGuard
        dirty={editor.changes.length > 0 || opened.typed}
        question={
          opened.typed ? 'Leave without saving the record?' : 'Leave without saving the collected changes?'
        }
      />
      <ConfirmDialog
        opened={opened.wanted !== null}
        title="Leave this record without saving it?"
        confirmLabel="Leave"
        cancelLabel="Stay"
        running={false}
        error={null}
        danger
        onConfirm={() => setOpened(withWanted)}
        onClose={() => setOpened((now) => ({ ...now, wanted: null }))}
      >
        What you typed is lost when you {losing}.
      </ConfirmDialog>
      {zone.error && <ErrorState error={zone.error} onRetry={zone.refetch} />}
      <ZoneTools address={address} mayEdit={mayEdit} isReady={base !== undefined} onOpen={open} />
      <div className={classes.columns}>
        <Stack gap="md" className={classes.main}>
          {mayEdit && <Collecting editor={editor} />}
          <LastChange editor={editor} onUndone={goOn} />
          {base ? (
            <Sliced meanwhile={<RecordSkeleton />}>
              <Records
                address={address}
                editor={editor}
                mayEdit={mayEdit}
                edited={opened.edited}
                onOpen={open}
                onEdit={edit}
                onEscape={() => setOpened(withEscape)}
                onTyped={tellTyped}
                onSaving={tellSaving}
                onDone={goOn}
              />
            </Sliced>
          ) : (
            <RecordSkeleton />
          )}
        </Stack>
        <aside className={classes.aside}>
          {base && editor.changes.length > 0 && (
            <Suspense fallback={<Skeleton height={240} />}>
              <ChangeTray
                domain={address}
                base={base}
                changes={editor.changes}
                onSaved={savedOf(editor, goOn)}
                onDiscard={() => {
                  editor.discard();
                  goOn(editor.changes);
                }}
              />
            </Suspense>
          )}
          {base && <BeforeThat domain={address} onHistory={() => open({ kind: 'history' })} />}
        </aside>
      </div>
      <Suspense>
        <Dialogs {...props} editor={editor} opened={opened.dialog} onDone={goOn} onClose={() => open(null)} />
      </Suspense>
    </Stack>
  );
}

function Collecting({ editor }: { editor: ZoneEditor }) {
  const count = editor.changes.length;
  return (
    <Group gap="md" justify="space-between" mih={30}>
      <Text size="sm" c="dimmed">
        Paste records anywhere on this page: a line, a vendor's table or a zone file.
      </Text>
      <Switch
        label="Collect changes and save them together"
        checked={editor.collecting || count > 0}
        disabled={count > 0 || !editor.base}
        onChange={(event) => editor.setCollecting(event.currentTarget.checked)}
      />
    </Group>
  );
}

/** What the focus goes on at, of the changes that are done. */
type OnDone = ReturnType<typeof useGoOn>;

/** Undo where undo is possible. */
function LastChange({ editor, onUndone }: { editor: ZoneEditor; onUndone: OnDone }) {
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
      <Button
        size="compact-sm"
        variant="default"
        disabled={undo.isPending}
        onClick={() => editor.undoLast(onUndone)}
      >
        {undo.isPending ? 'Undoing...' : 'Undo'}
      </Button>
    </Group>
  );
}

function Records(props: {
  address: string;
  editor: ZoneEditor;
  mayEdit: boolean;
  edited: Edited | null;
  onOpen: (dialog: OpenedDialog) => void;
  onEdit: (row: Edited | null) => void;
  onEscape: () => void;
  onTyped: (typed: boolean) => void;
  onSaving: (saving: boolean) => void;
  onDone: OnDone;
}) {
  const { address, editor, onOpen, edited } = props;
  const { type, text, set } = useFilters();
  const lastChanges = useLastChanges(address);
  const shown = editor.rows.filter((row) => shows(row, address, type, text));
  const rows = withItsRow(shown, edited);
  if (editor.rows.length === 0 && rows.length === 0) {
    return (
      <EmptyState
        title="No records yet"
        text="Add a record, import a zone file, or apply the template for your mail or web provider."
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
        records={editor.rows.filter(({ mark }) => mark !== 'deleted').map(({ record }) => record)}
        lastChanges={lastChanges}
        edited={
          edited && {
            key: edited.key,
            form: <EditForm {...props} record={edited.record} onClose={() => props.onEdit(null)} />,
          }
        }
        onPutBack={(last) => {
          const putting = editor.base && puttingBack(last, pendingZone(address, editor.base, editor.changes));
          if (putting) onOpen({ kind: 'back', putting });
        }}
        onEdit={props.mayEdit ? ({ key, record }) => props.onEdit({ key, record }) : undefined}
        onDelete={({ record }) => onOpen({ kind: 'delete', record })}
        onTakeBack={(row) => {
          editor.takeBack(row);
          props.onDone(editor.changes.filter((_change, index) => index === row.change));
        }}
      />
      <Text size="sm" c="dimmed" role="status">
        {shown.length === editor.rows.length
          ? `${shown.length} ${shown.length === 1 ? 'record' : 'records'}`
          : `${shown.length} of ${editor.rows.length} records`}
      </Text>
    </>
  );
}

/** What is being edited stays, whatever others do to the record meanwhile: nothing typed is lost. */
function withItsRow(rows: readonly RecordRow[], edited: Edited | null): readonly RecordRow[] {
  if (!edited || rows.some(({ key }) => key === edited.key)) return rows;
  const { key, record } = edited;
  return [...rows, { key, record, mark: null, change: null, before: null }];
}

/** The record's form in its own row. */
function EditForm(props: {
  address: string;
  editor: ZoneEditor;
  record: DnsRecord;
  onEscape: () => void;
  onTyped: (typed: boolean) => void;
  onSaving: (saving: boolean) => void;
  onDone: OnDone;
  onClose: () => void;
}) {
  const { editor, onClose } = props;
  const { base, changes } = editor;
  if (!base) return null;
  const close = closing(props);
  return (
    <Suspense fallback={<Skeleton height={80} />}>
      <RecordForm
        domain={props.address}
        zone={base}
        collected={changes}
        edited={props.record}
        onCollect={collectOf(editor, close)}
        onSaved={savedOf(editor, close)}
        onTyped={props.onTyped}
        onSaving={props.onSaving}
        onEscape={props.onEscape}
        onClose={onClose}
      />
    </Suspense>
  );
}

/** Closes what has made these changes, and goes on at them. */
function closing({ onClose, onDone }: { onClose: () => void; onDone: OnDone }): OnDone {
  return (changes) => {
    onClose();
    onDone(changes);
  };
}

function savedOf(editor: ZoneEditor, close: OnDone): ZoneEditor['saved'] {
  return (before, after, sent, meant) => {
    editor.saved(before, after, sent, meant);
    close(sent);
  };
}

/** Collects instead of saving, where changes are collected. */
function collectOf(editor: ZoneEditor, close: OnDone) {
  if (!editor.collecting && editor.changes.length === 0) return null;
  return (change: ZoneChange | readonly ZoneChange[]) => {
    const changes = [change].flat();
    editor.collect(...changes);
    close(changes);
  };
}

/** What takes the last change of a record back. */
function puttingBack(last: LastChangeOfRecord, present: Zone): PuttingBack | null {
  const [record, old] = [last.record as DnsRecord, last.old as DnsRecord | null];
  const change = putBack({ action: old ? 'update' : 'add', record, old }, recordsIn(present));
  return change && { change, reason: `Restored to the state before ${momentText(new Date(last.at))}` };
}

/** What loses the text. While the question fades away it stays as it was asked. */
function useLosing(wanted: { next: Edited | null } | null): string {
  const last = useRef('close it');
  if (wanted) last.current = wanted.next ? 'edit another one' : 'close it';
  return last.current;
}

/** Pasting into the page, not into a field, is meant for the zone. */
function usePastedRecords(enabled: boolean, onPasted: (text: string) => void) {
  const latest = useRef(onPasted);
  latest.current = onPasted;
  useEffect(() => {
    if (!enabled) return;
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if ((event.target as Element | null)?.closest?.('input, textarea, [contenteditable]')) return;
      if (text.trim() === '' || text.length > zoneTextMost) return;
      event.preventDefault();
      latest.current(text);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [enabled]);
}

function shows({ record }: RecordRow, domain: string, type: string | undefined, text: string): boolean {
  if (type && record.type !== type) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  return `${hostOf(record, domain)} ${recordData(record)}`.toLowerCase().includes(wanted);
}

function Dialogs(props: {
  address: string;
  mayEdit: boolean;
  mayTemplate: boolean;
  editor: ZoneEditor;
  opened: OpenedDialog | null;
  onDone: OnDone;
  onClose: () => void;
}) {
  const { address, editor, opened, onClose } = props;
  const { base, changes } = editor;
  if (!opened || !base) return null;
  // What is about many records was opened by a button that stays, and gives the focus back to it.
  const isOfOne = opened.kind === 'add' || opened.kind === 'back' || opened.kind === 'delete';
  const close = isOfOne ? closing(props) : onClose;
  const onSaved = savedOf(editor, close);
  const onCollect = collectOf(editor, close);
  // What compares whole zones does so with what is collected, and adds to it.
  const common = { domain: address, zone: pendingZone(address, base, changes), onCollect, onSaved, onClose };
  switch (opened.kind) {
    case 'add':
      return (
        <RecordDialog
          {...{ domain: address, zone: base, collected: changes, onCollect, onSaved, onClose }}
          edited={null}
        />
      );
    case 'back':
      return <PutBackReview {...common} {...opened.putting} />;
    case 'delete':
      return (
        <DeleteRecord
          {...{ domain: address, zone: base, onCollect, onSaved, onClose }}
          record={opened.record}
        />
      );
    case 'history':
      return <HistoryDialog {...common} mayEdit={props.mayEdit} />;
    case 'import':
      return <ImportDialog {...common} pasted={opened.pasted} />;
    case 'templates':
      return <TemplateDialog {...common} mayTemplate={props.mayTemplate} />;
  }
}
