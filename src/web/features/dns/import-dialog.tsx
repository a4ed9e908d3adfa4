import { Button, FileButton, Group, List, Stack, Text, Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import { readRecord } from '#contracts/values/dns-records.ts';
import { zoneTextMost } from '#contracts/values/limits.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import type { CallReply } from '../../lib/operations.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureAlert } from '../../ui/failure.tsx';
import { useImportPreview } from './api.ts';
import { ChangeReview } from './change-review.tsx';
import type { ZoneEditor } from './use-zone-editor.ts';

interface ImportProps {
  domain: string;
  zone: Zone;
  /** What was pasted into the page: read at once. */
  pasted?: string | undefined;
  /** Collects instead of saving, where changes are collected. */
  onCollect: ((changes: readonly ZoneChange[]) => void) | null;
  onSaved: ZoneEditor['saved'];
  onClose: () => void;
}

type Preview = CallReply<'POST /:domain/zone/import'>;

/** What was pasted or read from a file against the zone as it is: every record is chosen, every line that is left out has a reason. */
export default function ImportDialog(props: ImportProps) {
  const preview = useImportPreview(props.domain);
  const [text, setText] = useState(props.pasted ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const reading = useRef(false);
  const { pasted } = props;
  const { mutate } = preview;
  useEffect(() => {
    if (pasted === undefined || reading.current) return;
    reading.current = true;
    mutate(pasted);
  }, [pasted, mutate]);
  if (preview.data) {
    // What was pasted into the page is given up as a whole; what is in the field goes back to it.
    const close = pasted === undefined ? preview.reset : props.onClose;
    return <ImportReview {...props} preview={preview.data} onClose={close} />;
  }
  const load = async (file: File | null) => {
    if (!file) return;
    if (file.size > zoneTextMost) return setProblem('This file is too large for a zone file');
    setText(await file.text());
    setProblem(null);
  };
  const read = () => {
    if (text.trim() === '') return setProblem('Please select a file, or paste its text');
    preview.mutate(text);
  };
  return (
    <Dialog opened onClose={props.onClose} title="Import records" size="lg" closeOnClickOutside={false}>
      <Stack gap="sm">
        <Text size="sm">
          Paste a line, a table from a vendor's help page, or a zone file. Nothing changes yet. You first see
          which records would be added to {props.domain}.
        </Text>
        <Group>
          <FileButton onChange={(file) => void load(file)} accept=".zone,.txt,.db,text/*">
            {(button) => (
              <Button variant="default" size="xs" {...button}>
                Select file
              </Button>
            )}
          </FileButton>
        </Group>
        <Textarea
          label="Records or zone file"
          rows={10}
          data-autofocus
          value={text}
          error={problem}
          spellCheck={false}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mono)' } }}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(null);
          }}
        />
        <FailureAlert error={preview.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button disabled={preview.isPending} onClick={read}>
            {preview.isPending ? 'Reading...' : 'Preview'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function ImportReview(props: ImportProps & { preview: Preview }) {
  const { preview, zone } = props;
  const fresh = preview.records.filter(({ present }) => !present);
  const there = preview.records.length - fresh.length;
  const changes: ZoneChange[] = [];
  const notes = new Map<number, string>();
  const unfit = new Map<number, string>();
  for (const { record, line, problem, note } of fresh) {
    const read = readRecord(record);
    if (!read.ok) continue;
    const index = changes.push({ action: 'add', record: read.record }) - 1;
    notes.set(index, [`Line ${line}`, note].filter(Boolean).join('. '));
    if (problem) unfit.set(index, problem);
  }
  return (
    <ChangeReview
      {...{ domain: props.domain, changes, notes, unfit, onSaved: props.onSaved, onClose: props.onClose }}
      onCollect={props.onCollect}
      title="Import records"
      // The zone that the server compared with; if it has changed since, saving reports it.
      base={{ ...zone, version: preview.version }}
      reason={preview.records.length === 1 ? 'Pasted' : 'Imported'}
      intro={
        <Text size="sm">
          {there > 0 && `${there} ${there === 1 ? 'record exists' : 'records exist'} already. `}
          All other records stay.
        </Text>
      }
      more={<LeftOut lines={preview.leftOut} />}
    />
  );
}

/** As many as a person reads; the file has the others. */
const mostShown = 200;

function LeftOut({ lines }: { lines: Preview['leftOut'] }) {
  if (lines.length === 0) return null;
  return (
    <details open>
      <summary>{lines.length === 1 ? '1 line is left out' : `${lines.length} lines are left out`}</summary>
      <List
        size="sm"
        mt="xs"
        style={{ overflowWrap: 'anywhere', maxHeight: 200, overflowY: 'auto' }}
        tabIndex={0}
      >
        {lines.slice(0, mostShown).map(({ line, text, reason }) => (
          <List.Item key={line}>
            Line {line}: {reason}
            <Text size="xs" c="dimmed">
              {text.slice(0, 160)}
            </Text>
          </List.Item>
        ))}
      </List>
    </details>
  );
}
