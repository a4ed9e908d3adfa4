import { AppError } from '#contracts/errors.ts';
import { audit } from '#kernel/audit.ts';
import { comparable } from '#kernel/comparable.rules.ts';
import { type Db, inTransaction, type Tx } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import { SealBroken } from '#kernel/seal.ts';
import type { Subject } from './data-map.ts';
import { createErasure, type ErasureDeps, logAbout } from './erasure.ts';
import { personalCsv } from './personal-csv.ts';
import { personalJson } from './personal-json.ts';
import * as repo from './privacy.repo.ts';

export interface PrivacyDeps extends ErasureDeps {
  systemDb: Db;
  logger: Logger;
}

export type PrivacyApi = ReturnType<typeof createPrivacy>;
type Format = 'json' | 'csv';

/** One person's data: handed out as a whole; erased, but for what law and registry need. */
export function createPrivacy(deps: PrivacyDeps) {
  const { db, clock, seal } = deps;

  async function exportCustomer(scope: Scope, id: string, format: Format): Promise<Buffer> {
    requirePermission(scope, 'privacy.manage');
    return inTransaction(db, scope, async (tx) => {
      const customer = await repo.findCustomerRow(tx, scope, id);
      if (!customer) throw new AppError('not_found');
      const { organisationId } = scope;
      const emails = repo.ownerEmailOf(customer);
      const subject = { kind: 'customer', organisationId, id, emails, onlyCustomer: null } as const;
      return handOut(tx, scope, subject, format);
    });
  }

  async function exportUser(scope: Scope, id: string, format: Format): Promise<Buffer> {
    requirePermission(scope, id === scope.userId ? 'profile.self' : 'privacy.manage');
    return inTransaction(db, scope, async (tx) => {
      const user = await repo.findUserRow(tx, scope, id);
      if (!user) throw new AppError('not_found');
      const { organisationId } = scope;
      const emails = [comparable(user.email)];
      const onlyCustomer = user.role === 'MSP_CUSTOMER' ? user.customer_id : null;
      const subject = { kind: 'user', organisationId, id, emails, onlyCustomer } as const;
      return handOut(tx, scope, subject, format);
    });
  }

  async function handOut(tx: Tx, scope: Scope, subject: Subject, format: Format): Promise<Buffer> {
    const sections = await repo.collect(tx, subject);
    await logAbout(tx, scope, clock.now(), 'privacy.export', subject);
    if (format === 'csv') return personalCsv(sections);
    const { kind, id } = subject;
    return personalJson({ exportedAt: clock.now().toISOString(), subject: { kind, id } }, sections);
  }

  async function readHold(scope: Scope, address: string) {
    requirePermission(scope, 'privacy.manage');
    return inTransaction(db, scope, async (tx) => {
      const holds = await repo.findHolds(tx, scope, { address });
      const [first] = holds;
      if (!first) throw new AppError('not_found');
      const about = { objectKind: 'held data', object: address, customerId: first.customer_id };
      await audit(tx, scope, { at: clock.now(), action: 'privacy.readHold', ...about });
      return holds.map((one) => ({
        address,
        endedAt: one.ended_at.toISOString(),
        deleteAfter: one.delete_after.toISOString(),
        ...openHold(scope, one),
      }));
    });
  }

  /** One that does not open any more hides neither itself nor the others. */
  function openHold(scope: Scope, { id, data_sealed }: { id: string; data_sealed: Buffer }) {
    try {
      const data = JSON.parse(seal.open(data_sealed, repo.holdContext(scope.organisationId, id))) as unknown;
      return { data, fault: null };
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      deps.logger.error({ holdId: id, fault: error.message }, 'registrant data that is held does not open');
      return { data: null, fault: `The held data cannot be read: ${error.message}.` };
    }
  }

  /** Daily: what has been held for long enough goes. */
  async function forget(): Promise<void> {
    const deleted = await repo.deleteDueHolds(deps.systemDb, clock.now());
    if (deleted > 0) deps.logger.info({ deleted }, 'registrant data held for disputes was deleted');
  }

  return {
    ...createErasure(deps),
    ...{ exportCustomer, exportUser, readHold },
    tasks: { 'privacy.forget': forget },
  };
}
