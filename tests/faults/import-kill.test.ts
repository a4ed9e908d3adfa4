import { describe, test } from 'vitest';
import { verifyAuditChain } from '../../src/server/kernel/audit.ts';
import { type Account, openAccount } from '../support/account.ts';
import { csvFile, namedRow } from '../support/customer-file.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { inTurn } from '../support/turn.ts';

/** In the middle of the writing, and when all is written but not committed. */
const points = ['import.batch:2', 'import.written:1'];
const rows = 1_200;
/** Beside the customer that the account comes with. */
const everyone = rows + 1;

interface Reply<T> {
  data: T;
}

const file = () => csvFile(Array.from({ length: rows }, (_, n) => namedRow(`Customer ${n}`)));

/** Upload, look, start: what the web app does. */
async function startImport(stack: Stack, account: Account): Promise<string> {
  const grant = await stack.call<Reply<{ signedUrl: string; keyName: string }>>(
    account.token,
    'GET',
    'customer/upload-csv-url',
  );
  const put = await fetch(grant.body.data.signedUrl, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: file(),
  });
  if (!put.ok) throw new Error(`upload: ${put.status}`);
  const look = await stack.call<Reply<{ importId: string }>>(
    account.token,
    'POST',
    'customer/upload-csv-finish',
    { key: grant.body.data.keyName, preview: true },
  );
  const { importId } = look.body.data;
  await stack.call(account.token, 'POST', `customer/import/${importId}/start`, { mode: 'all' });
  return importId;
}

async function customersOf(stack: Stack, account: Account): Promise<number> {
  const { total } = await stack.database.systemDb
    .selectFrom('customers')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('organisation_id', '=', account.organisationId)
    .executeTakeFirstOrThrow();
  return total;
}

async function whenDone(stack: Stack, account: Account, importId: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 200) {
    const { body } = await stack.call<Reply<{ state: string }>>(
      account.token,
      'GET',
      `customer/import/${importId}`,
    );
    if (body.data.state === 'done') return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the import did not end\n${stack.log()}`);
}

describe('kill -9 during an import, then a restart', () => {
  for (const point of inTurn(points)) {
    test(`${point}: nothing is written; then all of it, once`, async ({ expect }) => {
      await using stack = await startStack();
      await stack.startServer({ FAILPOINT: point });
      const account = await openAccount(stack, 0);
      const importId = await startImport(stack, account);
      await stack.serverDied();
      expect(await customersOf(stack, account)).toBe(1);
      await stack.startServer();
      await whenDone(stack, account, importId);
      expect(await customersOf(stack, account)).toBe(everyone);
      const verdict = await verifyAuditChain(stack.database.systemDb, account.organisationId);
      expect(verdict).toMatchObject({ broken: null });
    });
  }
});
