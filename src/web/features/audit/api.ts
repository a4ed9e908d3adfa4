import { call, callFile, callPage } from '../../lib/api-client.ts';
import { saveFile } from '../../lib/download.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallInput } from '../../lib/operations.ts';
import { usePage } from '../../lib/use-page.ts';

export type AuditQuery = NonNullable<CallInput<'GET /audit'>['query']>;
export type AuditFilter = NonNullable<CallInput<'GET /audit/csv'>['query']>;

/** Whatever anybody does adds an entry: the log is read again whenever it is shown. */
export function useAudit(query: AuditQuery) {
  return usePage(['audit'], query, (wanted, signal) => callPage('GET /audit', { query: wanted, signal }), {
    staleTime: 0,
  });
}

export function useSaveAudit() {
  return useMutation({
    mutationFn: async (query: AuditFilter) =>
      saveFile(await callFile('GET /audit/csv', { query, timeoutMs: 60_000 })),
  });
}

/** A long log is verified in parts, each of which says where it ended. */
export async function verifyWholeLog() {
  let verdict = await call('GET /audit/verification');
  while (verdict.whole === false) {
    const { rows, head } = verdict;
    verdict = await call('GET /audit/verification', { query: { rows: String(rows), head } });
  }
  return verdict;
}

export function useVerifyAudit() {
  return useMutation({ mutationFn: verifyWholeLog });
}
