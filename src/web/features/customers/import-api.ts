import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { CustomerImport } from '#contracts/operations/customer-import.ts';
import { csvLimits } from '#contracts/values/customer-csv.ts';
import { call, callFile, callPage } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { uploadFile } from '../../lib/upload.ts';
import { usePage } from '../../lib/use-page.ts';
import { customerKeys } from './api.ts';

const importKeys = {
  all: ['customer-imports'] as const,
  one: (id: string) => ['customer-imports', 'one', id] as const,
};
/** How often a running import is looked at. */
const lookEveryMs = 700;
/** Checking ten thousand rows, and writing a file of them. */
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

/** P1 §4: the signed address, the file, the finish; the reply says what the rows would do. */
export function useUploadCsv(onProgress: (share: number) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      refuseEarly(file);
      const { signedUrl, keyName } = await call('GET /customer/upload-csv-url');
      await uploadFile({ url: signedUrl, file, contentType: 'text/csv', onProgress });
      return call('POST /customer/upload-csv-finish', {
        body: { key: keyName, preview: true, fileName: file.name.slice(-255) },
        timeoutMs: longCallMs,
      });
    },
    onSuccess: (made) => {
      client.setQueryData(importKeys.one(made.importId), made);
      return client.invalidateQueries({ queryKey: importKeys.all });
    },
  });
}

export function useImports() {
  return useQuery({
    queryKey: [...importKeys.all, 'list'],
    queryFn: ({ signal }) => call('GET /customer/import', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? lookEveryMs : false),
  });
}

/** One import; while it runs it is looked at again and again, and customers are read anew when it has ended. */
export function useImport(id: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: importKeys.one(id),
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<CustomerImport>(importKeys.one(id));
      const now = await call('GET /customer/import/:id', { params: { id }, signal });
      if (before && isRunning(before) && !isRunning(now)) {
        void client.invalidateQueries({ queryKey: customerKeys.all });
        void client.invalidateQueries({ queryKey: [...importKeys.all, 'rows', id] });
      }
      return now;
    },
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
  return usePage([...importKeys.all, 'rows', id], query, (wanted, signal) =>
    callPage('GET /customer/import/:id/rows', { params: { id }, query: wanted, signal }),
  );
}

export function useStartImport(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mode: 'all' | 'good') =>
      call('POST /customer/import/:id/start', { params: { id }, body: { mode } }),
    onSuccess: (started) => client.setQueryData(importKeys.one(id), started),
  });
}

export function useDiscardImport(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('DELETE /customer/import/:id', { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...importKeys.all, 'list'] }),
  });
}

export function useSaveRejects(id: string) {
  return useMutation({
    mutationFn: async () =>
      saveFile(await callFile('GET /customer/import/:id/rejects', { params: { id }, timeoutMs: longCallMs })),
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
