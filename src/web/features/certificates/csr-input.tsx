import { Button, FileButton, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { type FormEvent, useId, useState } from 'react';
import { csrFile, csrText } from '#contracts/values/csr-text.ts';
import { messageOf } from '../../lib/api-error.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { KeyKind } from './make-csr.ts';
import { type CsrWish, useCsrCheck } from './use-csr-check.ts';
import { fileStemOf, useCsrMaking } from './use-csr-making.ts';

export interface CsrInputProps extends CsrWish {
  wildcard: boolean;
  csrName: string;
  disabled: boolean;
}

/** Upload, paste, or make a signing request. What is refused is not kept; a private key is not even sent. */
export function CsrInput(props: CsrInputProps) {
  const { csr, csrName, disabled } = props;
  const [dialog, setDialog] = useState<'paste' | 'make' | null>(null);
  const { take, problem, checking } = useCsrCheck(props);
  const upload = async (file: File | null) => {
    if (file) await take(csrFile(new Uint8Array(await file.arrayBuffer())), file.name);
  };
  const close = () => setDialog(null);
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <FileButton onChange={upload} accept=".csr,.pem,.der,.txt,.p10,application/pkcs10">
          {(button) => (
            <Button
              {...button}
              variant="default"
              disabled={disabled || checking}
              leftSection={<IconCertificate size={16} />}
            >
              {checking ? 'Checking...' : 'Upload CSR'}
            </Button>
          )}
        </FileButton>
        <Button variant="subtle" disabled={disabled} onClick={() => setDialog('paste')}>
          Paste CSR
        </Button>
        <Button variant="subtle" disabled={disabled} onClick={() => setDialog('make')}>
          Create one here
        </Button>
      </Group>
      {problem && !dialog && (
        <Text size="sm" c="var(--bad)" role="alert" maw={520}>
          {problem}
        </Text>
      )}
      <Text size="sm" {...(csr ? {} : { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }}>
        {csr ? `CSR file: ${csrName}` : 'Please upload a CSR to continue'}
      </Text>
      {dialog === 'paste' && (
        <PasteDialog {...{ problem, checking, close }} onTake={(text) => take(csrText(text), 'pasted.csr')} />
      )}
      {dialog === 'make' && (
        <MakeDialog
          domain={props.domain}
          wildcard={props.wildcard}
          {...{ problem, close }}
          onMade={(pem, name, saveKey) => take({ kind: 'csr', pem }, name, saveKey)}
        />
      )}
    </Stack>
  );
}

function PasteDialog(props: {
  problem: string | null;
  checking: boolean;
  onTake: (text: string) => Promise<boolean>;
  close: () => void;
}) {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (await props.onTake(text)) props.close();
  };
  return (
    <Dialog opened onClose={props.close} title="Paste CSR" size="lg" closeOnClickOutside={false} centered>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label="CSR"
            description='Begins with "BEGIN CERTIFICATE REQUEST"'
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={tried ? props.problem : null}
            rows={10}
            styles={{ input: { fontFamily: 'var(--mono)' } }}
            spellCheck={false}
            autoComplete="off"
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.close}>
              Cancel
            </Button>
            <Button type="submit" disabled={props.checking || text.trim() === ''}>
              {props.checking ? 'Checking...' : 'Use this CSR'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function MakeDialog(props: {
  domain: string;
  wildcard: boolean;
  problem: string | null;
  close: () => void;
  onMade: (csrPem: string, name: string, saveKey: () => void) => Promise<boolean>;
}) {
  const name = props.wildcard ? `*.${props.domain}` : props.domain;
  const [kind, setKind] = useState<KeyKind>('ec-p256');
  const [organization, setOrganization] = useState('');
  const note = useId();
  const kindLabel = useId();
  const making = useCsrMaking({ name, kind, organization }, async (csrPem, fileName, saveKey) => {
    const taken = await props.onMade(csrPem, fileName, saveKey);
    if (taken) props.close();
    return taken;
  });
  const problem = making.error ? messageOf(making.error) : making.data === false ? props.problem : null;
  function make(event: FormEvent) {
    event.preventDefault();
    making.mutate();
  }
  return (
    <Dialog
      opened
      onClose={props.close}
      title={`Create a key and a CSR for ${name}`}
      closeOnClickOutside={false}
      centered
    >
      <form onSubmit={make}>
        <Stack>
          <Text size="sm" id={note}>
            Both are created in this browser. The private key is saved to your downloads as {fileStemOf(name)}
            .key and is never sent to us. Keep it: the certificate does not work without it.
          </Text>
          <div>
            <Text size="sm" fw={500} id={kindLabel}>
              Key
            </Text>
            <SegmentedControl
              aria-labelledby={kindLabel}
              data={[
                { value: 'ec-p256', label: 'EC P-256' },
                { value: 'rsa-2048', label: 'RSA 2048' },
              ]}
              value={kind}
              onChange={(value) => setKind(value as KeyKind)}
            />
            <Text size="xs" c="dimmed">
              EC is small and fast. Choose RSA for servers that are more than ten years old.
            </Text>
          </div>
          <TextInput
            data-autofocus
            label="Organization (optional)"
            value={organization}
            maxLength={64}
            onChange={(event) => setOrganization(event.currentTarget.value)}
          />
          {problem && (
            <Text c="var(--bad)" role="alert">
              {problem}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={props.close}>
              Cancel
            </Button>
            <Button type="submit" disabled={making.isPending} aria-describedby={note}>
              {making.isPending ? 'Creating...' : 'Create and save the key'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
