import type { machineRates } from '#contracts/values/rates.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import type { JobPayload } from '#kernel/job-table.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Seal } from '#kernel/seal.ts';
import type { CertificatePricing, MachineCertificates, ReadCsr } from '../certificates/index.ts';
import type { OrdersApi } from '../orders/index.ts';
import type { AcmeAccesses } from './access.ts';
import { createAccounts } from './accounts.service.ts';
import { createCsrCheck } from './csr-check.ts';
import { type AcmeRequest, createExchange } from './exchange.ts';
import { createFinalize } from './finalize.ts';
import { forgetNonces } from './nonces.repo.ts';
import { createNonces } from './nonces.ts';
import { forgetUnused, takeDueOrders } from './orders.repo.ts';
import { createAcmeOrders } from './orders.service.ts';
import { AcmeProblem, documentOf, type ProblemType } from './problems.rules.ts';
import { createRefusals } from './refusals.ts';
import { createRenewalInfo } from './renewal-info.ts';
import type { AcmeReply } from './reply.ts';
import { createRevoke } from './revoke.ts';

export interface AcmeDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  logger: Logger;
  seal: Seal;
  accesses: AcmeAccesses;
  certificates: MachineCertificates;
  pricing: CertificatePricing;
  orders: Pick<OrdersApi, 'place' | 'engine'>;
  readCsr: ReadCsr;
  /** Hosts of the managed DNS. */
  nameservers: readonly string[];
  publicUrl: string;
  /** Counts a try of an access or an account key; throws when there were too many. */
  limit(what: keyof typeof machineRates, key: string): Promise<void>;
}

const mostAtOnce = 100;
const dayMs = 86_400_000;

/** The ACME server: RFC 8555 with the renewal information of RFC 9773. */
export function createAcme(deps: AcmeDeps) {
  const { db, systemDb, clock, seal, publicUrl } = deps;
  const at = (path: string) => `${publicUrl}/acme/${path}`;
  const nonces = createNonces({ db, seal, clock });
  const exchange = createExchange({ ...deps, nonces, at });
  const accounts = createAccounts({ ...deps, at });
  const refusals = createRefusals(deps);
  const finalizing = createFinalize({ ...deps, refusals });
  const orders = createAcmeOrders({ ...deps, finalize: finalizing, checkCsr: createCsrCheck(deps), at });
  const revoke = createRevoke({ ...deps, refusals });

  /** RFC 8555 7.1.1. */
  function directory(): object {
    return {
      newNonce: at('new-nonce'),
      newAccount: at('new-account'),
      newOrder: at('new-order'),
      revokeCert: at('revoke-cert'),
      keyChange: at('key-change'),
      renewalInfo: at('renewal-info'),
      meta: { website: publicUrl, externalAccountRequired: true },
    };
  }

  async function newAccount(request: AcmeRequest): Promise<AcmeReply> {
    await deps.limit('acmeAccount', request.ip);
    return accounts.register(await exchange.byKey(request));
  }

  async function newOrder(request: AcmeRequest): Promise<AcmeReply> {
    const opened = await exchange.byAccount(request);
    await deps.limit('acmeOrder', opened.access.accessId);
    await deps.accesses.touch(opened.access);
    return orders.create(opened);
  }

  async function finalize(request: AcmeRequest, id: string): Promise<AcmeReply> {
    const opened = await exchange.byAccount(request);
    await deps.limit('acmeFinalize', opened.access.accessId);
    return orders.finalize(opened, id);
  }

  async function revokeOnce(request: AcmeRequest): Promise<AcmeReply> {
    const opened = await exchange.byEither(request);
    await deps.limit('acmeRevoke', request.ip);
    return revoke(opened);
  }

  async function keyChange(request: AcmeRequest): Promise<AcmeReply> {
    const opened = await exchange.byAccount(request);
    await deps.limit('acmeKeyChange', opened.account.id);
    return accounts.rollOver(opened);
  }

  async function account(request: AcmeRequest, id: string): Promise<AcmeReply> {
    return accounts.change(await own(request, id));
  }

  async function own(request: AcmeRequest, id: string) {
    const opened = await exchange.byAccount(request);
    if (opened.account.id === id) return opened;
    throw new AcmeProblem('unauthorized', 'This account belongs to another key.');
  }

  return {
    directory,
    nonce: nonces.make,
    indexLink: `<${at('directory')}>;rel="index"`,
    renewalInfo: createRenewalInfo(deps),
    newAccount,
    newOrder,
    account,
    accountOrders: async (request: AcmeRequest, id: string, before: string | null) =>
      orders.list(await own(request, id), before),
    order: async (request: AcmeRequest, id: string) => orders.show(await exchange.byAccount(request), id),
    finalize,
    authorization: async (request: AcmeRequest, id: string, index: number) =>
      orders.authorization(await exchange.byAccount(request), id, index),
    challenge: async (request: AcmeRequest, id: string, index: number) =>
      orders.challenge(await exchange.byAccount(request), id, index),
    certificate: async (request: AcmeRequest, id: string) =>
      orders.certificate(await exchange.byAccount(request), id),
    revoke: revokeOnce,
    keyChange,
    /** Any refusal as the protocol says it; null for what is none. */
    problemOf: (error: unknown) => (error instanceof AcmeProblem ? problemReply(error) : null),
    problem: (type: ProblemType, detail: string, status: number) =>
      problemReply(new AcmeProblem(type, detail, { status })),

    tasks: {
      'acme.advance': (place: JobPayload<'acme.advance'>) => finalizing.advance(place).catch(onlyProblems),
      /** What a crash left behind, and what no client asks about any more. */
      'acme.sweep': async () => {
        const due = await systemTransaction(systemDb, (tx) => takeDueOrders(tx, clock.now(), mostAtOnce));
        for (const place of due) await finalizing.advance(place).catch(logged);
        await forgetNonces(systemDb);
        await forgetUnused(systemDb, new Date(clock.now().getTime() - 30 * dayMs));
      },
    },
  };

  /** The order keeps its problem; the job is done. */
  function onlyProblems(error: unknown): void {
    if (!(error instanceof AcmeProblem)) throw error;
  }

  function logged(error: unknown): void {
    if (!(error instanceof AcmeProblem))
      deps.logger.error({ err: error }, 'an ACME order could not be advanced');
  }
}

/** The reply of a problem document (RFC 7807). */
function problemReply(problem: AcmeProblem): AcmeReply {
  const { status, headers, retryAfterSeconds } = problem;
  return {
    status,
    headers: {
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    text: { type: 'application/problem+json', content: JSON.stringify(documentOf(problem)) },
  };
}
