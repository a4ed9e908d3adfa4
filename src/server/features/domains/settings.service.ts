import type { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { setDomainContacts } from '#contracts/operations/domain-contacts.ts';
import type {
  DomainDetails,
  getDomainDetails,
  SettingResult,
  updateNameservers,
} from '#contracts/operations/domain-settings.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import { inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { isLimited, requirePermission, type Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ContactSet, RegistrarDomain, RegistrarSettings } from '../../ports/registrar.ts';
import { detailsOf, type RegistrarFacts } from './details.ts';
import { fromRegistrar } from './outcome.ts';
import { asOrganisation, createSettingActs, placeOf, type SettingActsDeps } from './setting-acts.ts';
import { createSettingChanges, type SettingChangesDeps } from './setting-changes.ts';
import { type DomainRecord, findWithCustomer, recordReading } from './settings.repo.ts';
import { requireMovable } from './signed.ts';
import { recordVerification } from './verification.repo.ts';
import { readVerification } from './verification-reading.ts';

export interface SettingsDeps extends SettingActsDeps {
  registrar: SettingActsDeps['registrar'] & Pick<RegistrarSettings, 'authCode' | 'verification'>;
  facts: RegistrarFacts;
  customers: SettingChangesDeps['customers'];
}

type DetailsKind = z.output<(typeof getDomainDetails)['query']>['type'];

/** One domain in detail, and what can be set on it at the registrar. */
export function createDomainSettings(deps: SettingsDeps) {
  const { db, registrar, clock, facts } = deps;
  const acts = createSettingActs(deps);

  async function details(
    scope: Scope,
    domain: string,
    type: DetailsKind,
    requireFreshSignIn: () => void,
  ): Promise<DomainDetails> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    if (type === 'domain_auth_info') return withAuthCode(scope, row, requireFreshSignIn);
    // What the registrar says of a missing name may be about another organisation's order (decision 276).
    if (type !== 'all_info' || row.status === 'transferring' || row.missing_since) {
      return detailsOf(row, null, { readAt: clock.now(), facts });
    }
    const read = await readLive(scope, row);
    const fresh = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    return detailsOf(fresh, read, { readAt: clock.now(), facts });
  }

  /** The registrar's word, kept as the portal's own copy. null when it does not answer, or has no such name. */
  async function readLive(scope: Scope, row: DomainRecord): Promise<RegistrarDomain | null> {
    const readAt = clock.now();
    try {
      const [read, verification] = await asOrganisation(scope, () =>
        Promise.all([registrar.domain(row.address), readVerification(registrar, row.address)]),
      );
      await inTransaction(db, scope, async (tx) => {
        const where = placeOf(scope, row);
        if (read) await recordReading(tx, { ...where, renewedAt: row.renewed_at }, read, readAt);
        if (read && verification) await recordVerification(tx, where, verification, readAt);
      });
      return read;
    } catch (error) {
      // The copy is shown, with its age.
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return null;
      throw error;
    }
  }

  /** The auth password lets anyone take the domain away: staff only, freshly signed in, and in the log. */
  async function withAuthCode(
    scope: Scope,
    row: DomainRecord,
    requireFreshSignIn: () => void,
  ): Promise<DomainDetails> {
    requirePermission(scope, 'domains.unlock');
    requireFreshSignIn();
    requireHere(row);
    const now = clock.now();
    if (row.status === 'transferring') return detailsOf(row, null, { readAt: now, facts });
    await inTransaction(db, scope, (tx) => acts.log(tx, scope, row, 'domains.readAuthPassword', {}));
    return fromRegistrar(() =>
      asOrganisation(scope, async () => {
        const read = await registrar.domain(row.address);
        // P2 §2: shown when unlocked and one exists.
        const authCode = read && !read.locked ? await registrar.authCode(row.address) : null;
        return detailsOf(row, read, { authCode, readAt: now, facts });
      }),
    );
  }

  async function setLock(scope: Scope, domain: string, locked: boolean): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    return acts.set(scope, row, { locked }, { before: { locked: row.locked }, after: { locked } });
  }

  async function setAutoRenew(scope: Scope, domain: string, autoRenew: boolean): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    const change = { before: { autoRenew: row.auto_renew }, after: { autoRenew } };
    return acts.set(scope, row, { autoRenew }, change);
  }

  async function setPrivacy(scope: Scope, domain: string, privacy: boolean): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    return acts.set(scope, row, { privacy }, { before: { privacy: row.privacy }, after: { privacy } });
  }

  async function setNameservers(
    scope: Scope,
    domain: string,
    { nameservers: names, dnssecConfirmed }: BodyOf<typeof updateNameservers>,
  ): Promise<SettingResult> {
    const row = await requireSettable(scope, domain);
    await requireMovable(registrar, scope, domain, dnssecConfirmed);
    const after = { nameservers: names, ...(dnssecConfirmed ? { dnssecConfirmed } : {}) };
    const change = { before: { nameservers: row.nameservers }, after };
    return acts.set(scope, row, { nameservers: names }, change);
  }

  async function setContacts(
    scope: Scope,
    domain: string,
    body: BodyOf<typeof setDomainContacts>,
  ): Promise<SettingResult> {
    const contacts: Partial<ContactSet> = Object.fromEntries(
      Object.entries(body).filter(([, contact]) => contact !== undefined),
    );
    if (Object.keys(contacts).length === 0) {
      throw new AppError('unprocessable', { message: 'Please choose at least one contact.' });
    }
    const row = await requireSettable(scope, domain);
    const before = (await readLive(scope, row))?.contacts;
    const change = before ? changedParts(partOf(before, contacts), contacts) : { after: contacts };
    return acts.set(scope, row, { contacts }, change ?? { after: contacts });
  }

  async function requireSettable(scope: Scope, domain: string): Promise<DomainRecord> {
    const row = await inReading(db, scope, (tx) => requireDomain(tx, scope, domain));
    requireSettings(scope, row);
    return row;
  }

  const many = createSettingChanges({ ...deps, acts, requireSettable });
  return { details, setLock, setAutoRenew, setPrivacy, setNameservers, setContacts, many };
}

/** A living domain in reach; another organisation's is as one that never was. */
export async function requireDomain(tx: Tx, scope: Scope, domain: string): Promise<DomainRecord> {
  const row = await findWithCustomer(tx, scope, domain);
  if (!row) throw new AppError('not_found');
  return row;
}

/** What the registrar does not have for us any more can be neither read nor changed there. */
export function requireHere(row: Pick<DomainRecord, 'address' | 'missing_since'>): void {
  if (!row.missing_since) return;
  throw new AppError('unprocessable', {
    message: `The registrar no longer has ${row.address} in this portal’s account.`,
  });
}

/** Settings of a domain that is ours, by someone who may: a customer's own users if the MSP allows it. */
export function requireSettings(scope: Scope, row: DomainRecord): void {
  if (isLimited(scope) && !row.customerMaySet) throw new AppError('forbidden');
  if (row.status === 'transferring') {
    throw new AppError('unprocessable', { message: 'This is possible once the transfer is complete.' });
  }
  requireHere(row);
}

/** Of what is there: the contacts that are to be changed, and of each the fields that are. */
function partOf(present: Partial<ContactSet>, wanted: Partial<ContactSet>): Partial<ContactSet> {
  const kinds = Object.keys(wanted) as (keyof ContactSet)[];
  return Object.fromEntries(kinds.map((kind) => [kind, present[kind]]));
}
