import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CustomerImport } from '#contracts/operations/customer-import.ts';
import type { Charset } from '#contracts/values/charsets.ts';
import type { ColumnMapping } from '#contracts/values/column-mapping.ts';
import { csvLimits } from '#contracts/values/customer-csv.ts';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { saveFile } from '../../lib/download.ts';
import { follow } from '../../lib/followed-work.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallInput } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';
import { uploadFile } from '../../lib/upload.ts';
import { usePage } from '../../lib/use-page.ts';
import { customersRenamed } from './api.ts';

const importKeys = {
  all: ['customer-imports'] as const,
  list: ['customer-imports', 'list'] as const,
  one: (id: string) => ['customer-imports', 'one', id] as const,
  look: (key: string, charset: Charset | undefined) => ['customer-imports', 'look', key, charset] as const,
  rows: (id: string) => ['customer-imports', 'rows', id] as const,
  mappings: ['customer-imports', 'mappings'] as const,
};
/** How often a running import is looked at. */
const lookEveryMs = 700;
/** Writing a file of ten thousand rows. */
const longCallMs = 65_000;
const megabytes = csvLimits.bytes / 1_000_000;

/** What can be said of a file before anything of it is sent. */
function refuseEarly(file: File): void {
  if (file.size === 0) throw refusal('The file is empty.', 'empty file');
  if (file.size > csvLimits.bytes) {
    throw refusal(
      `The file is larger than ${megabytes} MB. Please split it into several files.`,
      `${(file.size / 1_000_000).toFixed(1)} MB`,
    );
  }
}

function refusal(message: string, error: string): ApiError {
  return new ApiError(message, { code: 'payload_too_large', status: 0, error });
}

/**
 * P1 §4: the signed address, the file, the finish; the reply says what the rows would do. A file about which something
 * has to be asked first is not finished yet.
 */
export function useUploadCsv(onProgress: (share: number) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      refuseEarly(file);
      const { signedUrl, keyName } = await call('GET /customer/upload-csv-url');
      await uploadFile({ url: signedUrl, file, contentType: 'text/csv', onProgress });
      const fileName = file.name.slice(-255);
      const look = await call('POST /customer/import/look', {
        body: { key: keyName },
      });
      client.setQueryData(importKeys.look(keyName, undefined), look);
      if (look.charsets.length > 0 || !look.specified) return { key: keyName, fileName };
      return keepChecked(client, await check({ key: keyName, fileName }));
    },
  });
}

type CheckBody = NonNullable<CallInput<'POST /customer/upload-csv-finish'>['body']>;

function check(body: Omit<CheckBody, 'preview'>): Promise<CustomerImport> {
  return call('POST /customer/upload-csv-finish', {
    body: { ...body, preview: true },
  });
}

async function keepChecked(client: QueryClient, made: CustomerImport): Promise<CustomerImport> {
  client.setQueryData(importKeys.one(made.importId), made);
  await decisionsChanged(client);
  return made;
}

/** One file more or less waits for a decision. */
const decisionsChanged = (client: QueryClient) => readAgain(client, importKeys.list, ...waitsForPeople);

/** How an uploaded file would be read. It does not change: only another character set reads it otherwise. */
export function useFileLook(key: string, charset: Charset | undefined) {
  return useQuery({
    queryKey: importKeys.look(key, charset),
    queryFn: ({ signal }) =>
      call('POST /customer/import/look', {
        body: { key, ...(charset ? { charset } : {}) },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: key !== '',
  });
}

/** The finish, with the answers to what was asked. */
export function useCheckFile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Omit<CheckBody, 'preview'>) => keepChecked(client, await check(body)),
  });
}

export function useMappings() {
  return useQuery({
    queryKey: importKeys.mappings,
    queryFn: ({ signal }) => call('GET /customer/import/mapping', { signal }),
  });
}

export function useKeepMapping() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; mapping: ColumnMapping }) =>
      call('POST /customer/import/mapping', { body }),
    onSettled: () => client.invalidateQueries({ queryKey: importKeys.mappings }),
  });
}

export function useDropMapping() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /customer/import/mapping/:id', { params: { id } }),
    // Refused, it was removed by somebody else.
    onSettled: () => client.invalidateQueries({ queryKey: importKeys.mappings }),
  });
}

/** Suggestions of all rows, or of those that are named, in place of the refused cells. */
export function useApplySuggestions(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rows: number[] | undefined) =>
      call('POST /customer/import/:id/suggestions', {
        params: { id },
        body: rows ? { rows } : {},
      }),
    onSuccess: async (checked) => {
      client.setQueryData(importKeys.one(id), checked);
      await client.invalidateQueries({ queryKey: importKeys.rows(id) });
    },
    onError: () => lookAgain(client, id),
  });
}

export function useImports() {
  return useQuery({
    queryKey: importKeys.list,
    queryFn: ({ signal }) => call('GET /customer/import', { signal, isAside: true }),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? lookEveryMs : false),
  });
}

/** One import; what it has changed is read again when it has ended. */
export function importQuery(client: QueryClient, id: string) {
  return {
    queryKey: importKeys.one(id),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const before = client.getQueryData<CustomerImport>(importKeys.one(id));
      const now = await call('GET /customer/import/:id', { params: { id }, signal });
      if (before && isRunning(before) && !isRunning(now)) {
        void customersRenamed(client);
        void readAgain(client, importKeys.list, importKeys.rows(id));
      }
      return now;
    },
  };
}

/** While it runs it is polled. */
export function useImport(id: string) {
  return useQuery({
    ...importQuery(useQueryClient(), id),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? lookEveryMs : false),
  });
}

export function isRunning({ state }: Pick<CustomerImport, 'state'>): boolean {
  return state === 'importing';
}

export function useImportRows(
  id: string,
  query: NonNullable<CallInput<'GET /customer/import/:id/rows'>['query']>,
) {
  return usePage(importKeys.rows(id), query, (wanted, signal) =>
    callPage('GET /customer/import/:id/rows', { params: { id }, query: wanted, signal }),
  );
}

export function useStartImport(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CallBody<'POST /customer/import/:id/start'>) =>
      call('POST /customer/import/:id/start', { params: { id }, body }),
    onSuccess: (started) => {
      client.setQueryData(importKeys.one(id), started);
      follow({ kind: 'import', id });
      // There it waited for a decision until now.
      return decisionsChanged(client);
    },
    onError: () => lookAgain(client, id),
  });
}

/** After a refusal: it may have been judged again, started or discarded, by others or by this try. Then that is shown. */
function lookAgain(client: QueryClient, id: string): void {
  void readAgain(client, importKeys.one(id), importKeys.rows(id), importKeys.list);
}

/**
 * What a checked file says of itself beside what its start was refused with: one sentence of the server may be both, and is said
 * once, where the person pressed.
 */
export function noticeBeside(notice: string, error: Error | null): string | null {
  return notice === '' || notice === error?.message ? null : notice;
}

export function useDiscardImport(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('DELETE /customer/import/:id', { params: { id } }),
    onSuccess: () => {
      // Back leads to its screen once more, which reads it then. Read now, it would take the dialog away before its answer.
      void client.invalidateQueries({ queryKey: importKeys.one(id), refetchType: 'none' });
      return decisionsChanged(client);
    },
    onError: () => lookAgain(client, id),
  });
}

export function useSaveRejects(id: string) {
  return useMutation({
    mutationFn: async (suggestions: 'apply' | undefined) =>
      saveFile(
        await callFile('GET /customer/import/:id/rejects', {
          params: { id },
          query: suggestions ? { suggestions } : {},
          timeoutMs: longCallMs,
        }),
      ),
  });
}

export function useSaveFile(which: 'sample' | 'export') {
  return useMutation({
    mutationFn: async () =>
      saveFile(
        which === 'sample'
          ? await callFile('GET /customer/csv/sample')
          : await callFile('GET /customer/csv/export', { timeoutMs: longCallMs }),
      ),
  });
}
