import type { AcmeAccesses } from './access.ts';

export type AccountLog = ReturnType<typeof createAccountLog>;

/** Notes what a client does with its account in the log of its access. */
export function createAccountLog(accesses: Pick<AcmeAccesses, 'log'>) {
  return async (
    accessId: string,
    event: 'account' | 'account-end' | 'key-change' | 'refusal',
    detail: string,
  ): Promise<void> => {
    const outcome = event === 'refusal' ? 'refused' : 'done';
    await accesses.log(accessId, { event, identifiers: [], outcome, detail });
  };
}
