import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import type { Page } from '@playwright/test';
import { api, type Msp } from './msp.ts';

const dir = mkdtempSync(join(tmpdir(), 'ssl-'));
// One process runs several files of tests, one after the other: the folder goes when it ends.
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
export const at = (name: string) => join(dir, name);
/** Runs the real OpenSSL, which knows nothing of ours. */
export const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' }).toString();

/** A key and its CSR, kept as files of that stem. */
export function csrFor(name: string, stem: string): string {
  const pem = openssl(
    ...['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', at(`${stem}.key`), '-subj', `/CN=${name}`],
  );
  writeFileSync(at(`${stem}.csr`), pem);
  return pem;
}

export const finalize = (page: Page) => page.getByRole('button', { name: 'Finalize Purchase' });
export const status = (page: Page, words: string) => page.getByText(`Status: ${words}`, { exact: true });

/** A certificate ordered through the API: where the cart is not what is tested. */
export async function orderCertificate(msp: Msp, domain: string, more: object = {}): Promise<string> {
  const prices = await api<{ productType: string; pricePerYear: number }[]>(msp.token, 'GET', 'ssl/prices');
  const price = prices.find(({ productType }) => productType === 'rapidssl')?.pricePerYear ?? 0;
  const line = {
    domain,
    provider: 'RapidSSL',
    productType: 'rapidssl',
    period: 1,
    csr: csrFor(domain, domain),
  };
  const customerId = msp.customers[0]?.customerId;
  await api(msp.token, 'POST', 'cart/purchase', { certificates: [{ ...line, customerId, ...more }], price });
  const rows = await api<{ address: string; orderId: string }[]>(msp.token, 'GET', 'ssl');
  return rows.find(({ address }) => address === domain)?.orderId ?? '';
}

/** Whether a client that trusts the root accepts a server that uses these files. */
export function accepted(
  files: { cert: string; key: string; ca: string },
  servername: string,
): Promise<boolean> {
  const server = createServer({ cert: files.cert, key: files.key }, (socket) => socket.end());
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const client = connect({ port, host: '127.0.0.1', ca: files.ca, servername }, () => {
        resolve(client.authorized);
        client.end();
        server.close();
      });
      client.on('error', (error) => {
        server.close();
        reject(error);
      });
    });
  });
}
