import { AppError } from '#contracts/errors.ts';
import { reissuesItself } from '#contracts/values/certificate-life.ts';
import { inReading, inTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import { fromRegistrar } from '../domains/index.ts';
import { createAct, createCertificateActs } from './certificate-acts.ts';
import { createCertificateReading, placeOf } from './certificate-reading.ts';
import {
  type CertificateListQuery,
  countBands,
  listCertificates,
  updateCertificate,
} from './certificates.repo.ts';
import { createCsrParsing } from './csr-parsing.ts';
import type { CertificatesDeps } from './deps.ts';
import { type CertificateFile, certificateFile } from './files.ts';
import { createMachineCertificates } from './machine.ts';
import { createNotices } from './notices.ts';
import { createRefresh } from './refresh.ts';
import { createReissue } from './reissue.ts';
import { lifeOf } from './rows.ts';
import { createCertificateTasks } from './tasks.ts';

export type CertificatesApi = ReturnType<typeof createCertificates>;

/** Certificates of an organisation: what people read and do, what machines ask for, and the jobs. */
export function createCertificates(deps: CertificatesDeps) {
  const { db, registrar, clock } = deps;
  const { refresh } = createRefresh({ ...deps, db });
  const reissue = createReissue(deps);
  const notices = createNotices(deps);
  const reading = createCertificateReading(deps, refresh);
  const { required, watch } = reading;
  const act = createAct(deps, { required, refresh });

  return {
    ...createCertificateActs(deps, act, { ...reading, refresh, reissue }),
    watch,
    parseCsr: createCsrParsing(deps, reading),
    prices: () => deps.pricing.list(),
    list: (scope: Scope, query: CertificateListQuery) =>
      inReading(db, scope, (tx) => listCertificates(tx, scope, query, clock.now())),
    bands: (scope: Scope) => inReading(db, scope, (tx) => countBands(tx, scope, clock.now())),
    listForCustomer: (scope: Scope, customerId: string, query: CertificateListQuery) =>
      inReading(db, scope, async (tx) => {
        const [found] = await Promise.all([
          listCertificates(tx, scope, { ...query, customerId }, clock.now()),
          deps.customers.requireVisible(tx, scope, customerId),
        ]);
        return found;
      }),

    approvers: async (scope: Scope, orderId: string): Promise<string[]> => {
      const row = await required(scope, orderId);
      return fromRegistrar(() =>
        withFairnessKey(scope.organisationId, () => registrar.approverEmails(row.address, row.product_type)),
      );
    },

    async file(scope: Scope, orderId: string, file: CertificateFile) {
      const row = await required(scope, orderId);
      if (!row.certificate_pem)
        throw new AppError('not_found', { message: 'The certificate is not issued yet.' });
      await inTransaction(db, scope, (tx) =>
        updateCertificate(tx, placeOf(row), { downloaded_at: clock.now() }),
      );
      const made = await certificateFile(file, {
        certificatePem: row.certificate_pem,
        chainPem: row.chain_pem ?? '',
      });
      return { ...made, name: `${row.address.replace('*', 'wildcard')}-${file}` };
    },

    byMachine: createMachineCertificates({
      ...{ db, clock, reissue, refresh, act },
      cancelAtRegistrar: (orderId, fence) => registrar.cancelCertificateOrder(orderId, fence),
    }),

    tasks: {
      ...notices.tasks,
      ...createCertificateTasks({
        ...deps,
        refresh,
        reissue: async (row) => {
          if (!reissuesItself(lifeOf(row, row, clock.now()))) return;
          await reissue(row, { csr: row.csr, automatic: true });
        },
      }),
    },
  };
}
