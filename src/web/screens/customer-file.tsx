import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { FileLook } from '#contracts/operations/customer-import.ts';
import { type Charset, charsetNames, charsets } from '#contracts/values/charsets.ts';
import { missingColumns } from '#contracts/values/column-mapping.ts';
import { countText } from '#contracts/values/format.ts';
import { CharsetQuestion } from '../features/customers/charset-question.tsx';
import { ColumnQuestion } from '../features/customers/column-question.tsx';
import { FilePreview } from '../features/customers/file-preview.tsx';
import { useCheckFile, useFileLook } from '../features/customers/import-api.ts';
import { KeptMappings } from '../features/customers/kept-mappings.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FailureAlert } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

/** /customers/import/file: what has to be asked about an uploaded file, before its rows can be checked. */
export default function CustomerFileScreen() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { file: key = '', name = 'customers.csv' } = search;
  const charset = charsetNames.find((known) => known === search.charset);
  const look = useFileLook(key, charset);
  if (!key) return <Navigate to="/customers" replace />;
  return (
    <Page
      title="Import customers"
      above={<Breadcrumbs trail={[{ to: '/customers', label: 'Customers' }]} here="Import" />}
    >
      <Stack gap="lg">
        <Text>
          File: <strong style={{ overflowWrap: 'anywhere' }}>{name}</strong>
          {charset && `, read as ${charsets[charset]}`}
        </Text>
        {look.error && <ErrorState error={look.error} onRetry={look.refetch} />}
        {look.isPending && <Skeleton height={240} role="status" aria-label="Reading the file..." />}
        {look.data && look.data.charsets.length > 0 && (
          <CharsetQuestion
            choices={look.data.charsets}
            onChoose={(chosen) =>
              void navigate({ to: '/customers/import/file', search: { file: key, name, charset: chosen } })
            }
          />
        )}
        {look.data && look.data.charsets.length === 0 && (
          <Columns key={charset ?? ''} look={look.data} upload={{ key, fileName: name }} charset={charset} />
        )}
      </Stack>
    </Page>
  );
}

function Columns(props: {
  look: FileLook;
  upload: { key: string; fileName: string };
  charset: Charset | undefined;
}) {
  const { look, charset } = props;
  const navigate = useNavigate();
  const check = useCheckFile();
  const [mapping, setMapping] = useState(look.mapping);
  const [tried, setTried] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const missing = missingColumns(mapping);
  const submit = () => {
    setTried(true);
    const [first] = missing;
    if (first) return root.current?.querySelector<HTMLElement>(`[data-path="${first}"]`)?.focus();
    return check.mutate(
      { ...props.upload, mapping, ...(charset ? { charset } : {}) },
      {
        onSuccess: ({ importId }) =>
          void navigate({ to: '/customers/import/$importId', params: { importId }, replace: true }),
      },
    );
  };
  const rows = `${countText(look.rowCount)} ${look.rowCount === 1 ? 'row' : 'rows'}`;
  return (
    <Stack gap="lg" ref={root}>
      <Text role="status">
        {look.source === null
          ? 'We matched the columns by their names.'
          : `The columns are those of ${look.source}.`}{' '}
        {missing.length > 0 &&
          `${missing.length === 1 ? '1 required column is' : `${missing.length} required columns are`} still missing.`}
      </Text>
      <FilePreview look={look} mapping={mapping} />
      <FailureAlert error={check.error} />
      <Group>
        <Button disabled={check.isPending} onClick={submit}>
          {check.isPending ? 'Checking...' : `Check ${rows}`}
        </Button>
        <Text size="sm" c="dimmed">
          Nothing is written until you have seen the result.
        </Text>
      </Group>
      <ColumnQuestion header={look.columns} mapping={mapping} tried={tried} onChange={setMapping} />
      <KeptMappings mapping={mapping} onUse={setMapping} />
    </Stack>
  );
}
