import { Alert, Anchor, Button, Code, Group, Progress, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconUpload } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ChangeEvent, useRef, useState } from 'react';
import { ApiError, messageOf } from '../../lib/api-error.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import entry from '../../ui/menu-entry.module.css';
import { useSaveFile, useUploadCsv } from './import-api.ts';

const formatPath = '/customers/csv-format';

/** The 'Upload .csv' menu (P1 §2): choose a file, the sample, the page on the format; and the way back, an export. */
export function CsvMenu({ mayExport }: { mayExport: boolean }) {
  const [share, setShare] = useState(0);
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const upload = useUploadCsv(setShare);
  const sample = useSaveFile('sample');
  const everything = useSaveFile('export');
  const failure = upload.error ?? sample.error ?? everything.error;
  const forget = () => {
    upload.reset();
    sample.reset();
    everything.reset();
  };
  function onChoose(event: ChangeEvent<HTMLInputElement>) {
    const [file] = event.currentTarget.files ?? [];
    // The same file may be chosen again, after it was mended.
    const chosen = event.currentTarget;
    if (!file) return;
    setShare(0);
    upload.mutate(file, {
      onSuccess: (made) => {
        if ('importId' in made) {
          void navigate({ to: '/customers/import/$importId', params: { importId: made.importId } });
        } else {
          void navigate({ to: '/customers/import/file', search: { file: made.key, name: made.fileName } });
        }
      },
      onSettled: () => {
        chosen.value = '';
      },
    });
  }
  return (
    <>
      <Disclosure
        label="Upload .csv"
        align="start"
        button={
          <>
            <IconUpload size={16} aria-hidden />
            Upload .csv
            <IconChevronDown size={14} aria-hidden />
          </>
        }
      >
        {(close) => {
          const act = (work: () => void) => () => {
            work();
            close();
          };
          return (
            <>
              <button
                type="button"
                className={entry.entry}
                disabled={upload.isPending}
                onClick={act(() => input.current?.click())}
              >
                Select file
              </button>
              <button type="button" className={entry.entry} onClick={act(() => sample.mutate())}>
                Download sample .csv
              </button>
              <Link to={formatPath} className={entry.entry} onClick={close}>
                More information about data format
              </Link>
              {mayExport && (
                <>
                  <hr className={entry.line} />
                  <button type="button" className={entry.entry} onClick={act(() => everything.mutate())}>
                    Export all customers
                  </button>
                </>
              )}
            </>
          );
        }}
      </Disclosure>
      <input
        ref={input}
        type="file"
        accept=".csv,.txt,.tsv,text/csv"
        hidden
        tabIndex={-1}
        aria-label="Customer file"
        onChange={onChoose}
      />
      <UploadDialog opened={upload.isPending} share={share} />
      <FailureDialog error={failure} onClose={forget} aboutFile={upload.error !== null} />
    </>
  );
}

function UploadDialog({ opened, share }: { opened: boolean; share: number }) {
  const text =
    share < 1 ? `Uploading... ${Math.round(share * 100)}%` : 'Checking the rows. Nothing is written yet.';
  return (
    <Dialog
      opened={opened}
      onClose={() => undefined}
      title="Upload .csv"
      centered
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="sm">
        <Text role="status">{text}</Text>
        <Progress value={share * 100} animated={share >= 1} aria-label="Upload" />
      </Stack>
    </Dialog>
  );
}

/** P1 §4, §8: the server's message and error, and the advice to verify the fields. */
function FailureDialog(props: { error: Error | null; aboutFile: boolean; onClose: () => void }) {
  const { error } = props;
  const technical = error instanceof ApiError ? error.error : undefined;
  return (
    <Dialog opened={error !== null} onClose={props.onClose} title="Something went wrong" centered>
      <Stack gap="md">
        <Alert color="red" variant="light" role="alert">
          {messageOf(error)}
          {technical && (
            <Code block mt="xs">
              {technical}
            </Code>
          )}
        </Alert>
        {props.aboutFile && (
          <Text size="sm">
            Please verify the fields of your file and see the{' '}
            <Anchor component={Link} to={formatPath} onClick={props.onClose}>
              information about the data format
            </Anchor>
            .
          </Text>
        )}
        <Group justify="flex-end">
          <Button onClick={props.onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
