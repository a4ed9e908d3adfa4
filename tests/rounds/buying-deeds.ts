import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PurchaseResult } from '../../src/contracts/operations/orders.ts';
import type { Deed, Worker } from './deeds.ts';

/** Purchases of every kind, and what follows on certificates. */

/** Words in a name that make its first order go wrong (docs/sandbox.md). */
const mishaps = [
  ...['refuse', 'busy', 'drop-before', 'drop-after', 'garbage', 'timedout-after'],
  ...['timeout-before', 'timeout-after', 'late', 'late'],
];

function newName(worker: Worker): string {
  const mishap = worker.chance.happens(0.3) ? `-${worker.chance.one(mishaps)}` : '';
  return `n${worker.msp.name}-${worker.fresh('d')}${mishap}.com`;
}

interface Line {
  address: string;
  period: number;
  kind: string;
  productType?: string;
}

async function priceOf(worker: Worker, lines: readonly Line[]): Promise<number | null> {
  const priced = await worker.client.ask<{ price: number }[]>('POST', 'cart/prices', lines);
  if (priced.how !== 'done') return null;
  return priced.data.reduce((sum, { price }) => sum + Math.round(price * 100), 0) / 100;
}

async function buy(worker: Worker, what: string, lines: readonly Line[], body: object): Promise<void> {
  const { msp, memory } = worker;
  const price = await priceOf(worker, lines);
  if (price === null) return;
  const ending = await worker.client.ask<PurchaseResult>('POST', 'cart/purchase', { ...body, price });
  worker.told(what, ending);
  if (ending.how !== 'done') return;
  const result = ending.data;
  memory.purchases.push({ msp: msp.name, organisationId: msp.organisationId, result });
  msp.domains.push(...result.domains.success.map(({ domain }) => domain));
}

const register: Deed = async (worker) => {
  const names = Array.from({ length: worker.chance.between(1, 2) }, () => newName(worker));
  const customerId = worker.chance.one(worker.msp.customers).id;
  await buy(
    worker,
    'registration',
    names.map((address) => ({ address, period: 1, kind: 'domain' })),
    { domains: names.map((address) => ({ address, customerId, period: 1, whois: false })) },
  );
};

const renew: Deed = async (worker) => {
  const address = worker.someDomain();
  if (!address) return;
  const details = await worker.client.ask<{ registry_expiredate: string }>(
    'GET',
    `domain/details/${address}`,
  );
  if (details.how !== 'done' || !details.data.registry_expiredate) return;
  const renewal = { address, period: 1, expireDate: details.data.registry_expiredate };
  const once = () =>
    buy(worker, 'renewal', [{ address, period: 1, kind: 'renewal' }], { domainRenewals: [renewal] });
  // Two people who see the same day.
  await Promise.all(worker.chance.happens(0.3) ? [once(), once()] : [once()]);
};

const transfer: Deed = async (worker) => {
  const address = `t${worker.msp.name}-${worker.fresh('d')}.com`;
  const outside = { domain: address, locked: false, ageDays: 400, expiresInDays: 200, authCode: 'code-1234' };
  await worker.stand.stack.control('registrar', 'outside-world', outside);
  const customerId = worker.chance.one(worker.msp.customers).id;
  await buy(worker, 'transfer', [{ address, period: 1, kind: 'transfer' }], {
    domainTransfers: [{ address, customerId, period: 1, EPPCode: 'code-1234' }],
  });
};

const openssl = promisify(execFile);
async function csrFor(name: string): Promise<string> {
  const { stdout } = await openssl('openssl', [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', '/dev/null', '-subj', `/CN=${name}`],
  ]);
  return stdout;
}

const product = { provider: 'RapidSSL', productType: 'rapidssl', handle: 'process' };

/** For a name of ours, which the portal proves by itself, or for one elsewhere, which waits for somebody's email. */
const certify: Deed = async (worker) => {
  const own = worker.chance.happens(0.5) ? worker.someDomain() : null;
  const domain = own ?? `s${worker.msp.name}-${worker.fresh('d')}.com`;
  const line = {
    ...{ domain, ...product, regType: 'new', dvAuthMethod: 'Email', period: 1, csr: await csrFor(domain) },
    customerId: worker.chance.one(worker.msp.customers).id,
  };
  await buy(
    worker,
    'certificate',
    [{ address: domain, period: 1, kind: 'certificate', productType: 'rapidssl' }],
    {
      certificates: [line],
    },
  );
};

/** Ends those that wait, and has finished ones made again. */
const afterwards: Deed = async (worker) => {
  const listed = await worker.client.ask<{ state: string; orderId: string | null }[]>('GET', 'ssl');
  if (listed.how !== 'done') return;
  const known = listed.data.filter(
    ({ orderId, state }) => orderId && ['awaiting-approval', 'completed'].includes(state),
  );
  if (known.length === 0) return;
  const { orderId, state } = worker.chance.one(known);
  if (state === 'completed') {
    worker.told('reissue', await worker.client.ask('POST', `ssl/order/${orderId}/reissue`, {}));
  } else {
    worker.told('cancelled certificate', await worker.client.ask('POST', `ssl/order/${orderId}/cancel`));
  }
};

const mixed: Deed = async (worker) => {
  const [name, host] = [newName(worker), `s${worker.msp.name}-${worker.fresh('d')}.com`];
  const old = worker.someDomain();
  const customerId = worker.chance.one(worker.msp.customers).id;
  const csr = await csrFor(host);
  await buy(
    worker,
    'mixed cart',
    [
      { address: name, period: 1, kind: 'domain' },
      ...(old ? [{ address: old, period: 1, kind: 'renewal' }] : []),
      { address: host, period: 1, kind: 'certificate', productType: 'rapidssl' },
    ],
    {
      domains: [{ address: name, customerId, period: 1, whois: false }],
      domainRenewals: old ? [{ address: old, period: 1 }] : [],
      certificates: [
        {
          ...{ domain: host, ...product, regType: 'new', dvAuthMethod: 'Email', customerId },
          period: 1,
          csr,
        },
      ],
    },
  );
};

export const buyingDeeds: [Deed, number][] = [
  [register, 4],
  [renew, 3],
  [transfer, 1],
  [certify, 2],
  [afterwards, 3],
  [mixed, 2],
];
