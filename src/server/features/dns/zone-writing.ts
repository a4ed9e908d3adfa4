import { AppError } from '#contracts/errors.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { changesBetween, groupRecords } from '#contracts/values/zone-changes.ts';
import { type AuditActor, appendAll, audit } from '#kernel/audit.ts';
import { type SealedEntry, sealedBefore } from '#kernel/audit-sealing.ts';
import { inOneGo, inTransaction, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import { isLeaseLost, type Lease } from '#kernel/leases.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { RegistrarZone, RegistrarZones } from '../../ports/registrar.ts';
import { concluded } from '../domains/index.ts';
import { saveCopy } from './copies.repo.ts';
import {
  concludeVersion,
  insertVersion,
  lockVersions,
  type VersionState,
  type ZonePlace,
} from './versions.repo.ts';
import {
  askRegistrar,
  bodyOf,
  type PresentZone,
  presentOf,
  type ReadingDeps,
  repairLater,
  replyOf,
} from './zone-reading.ts';
import { mayHaveStruck } from './zone-writing.rules.ts';

export interface WritingDeps extends ReadingDeps {
  registrar: Pick<RegistrarZones, 'zone' | 'createZone' | 'replaceZone'>;
}

export interface ZoneWrite {
  place: ZonePlace;
  actor: AuditActor;
  customerId: string | null;
  /** What the registrar has now: read under the lease. */
  now: PresentZone;
  records: readonly DnsRecord[];
  /** Of these records. */
  version: string;
  reason: string;
  /** The item of a change of many domains that this is. */
  itemId?: string | undefined;
  /** Under which it was read and is written. */
  lease: Lease;
  /** Nothing more is done under the lease. */
  endsLease?: boolean;
}

/** Changes that the log names; of larger ones the version tells the rest. */
const loggedChanges = 100;

/**
 * Replaces a zone at the registrar. The version is stored before the call, so that whatever happens in between it is
 * known what was meant; no answer is read again, and what cannot be known is told as such.
 */
export async function writeZone(deps: WritingDeps, write: ZoneWrite): Promise<PresentZone> {
  const { place, actor, now } = write;
  const at = deps.clock.now();
  const id = deps.newId(at.getTime());
  const changes = changesBetween(now.records, write.records);
  const version = {
    id,
    records: write.records,
    hash: write.version,
    author: { id: actor.userId, name: actor.email },
    reason: write.reason,
    changes,
    itemId: write.itemId,
    customerId: write.customerId,
  };
  const entry = { at, ...entryOf(write, changes) };
  let sealing: Promise<SealedEntry | null> = Promise.resolve(null);
  // Before the intent, which is stored with its question: the others count from that one how long this write may still strike.
  const fence = write.lease.fence(async (tx) => {
    // A reading that is being noted is noted before this, or finds itself outdated.
    await lockVersions(tx, place);
    await insertVersion(tx, deps.clock, place, { ...version, state: 'writing' });
    sealing = sealedBefore(tx, actor, entry).catch(() => null);
  });
  const outcome = await withFairnessKey(place.organisationId, () => send(deps, write, fence));
  failpoint('zone.answered');
  // What was done is written down and the lease looked at in one transaction; without its answer others come first.
  const asksLater = outcome.kind === 'done';
  if (!asksLater && mayHaveStruck(outcome.kind) && !(await write.lease.held())) await giveUp(deps, place, id);
  if (outcome.kind === 'pending') {
    await conclude(deps, place, id, 'unknown');
    throw new AppError('outcome_unknown', { message: outcome.text });
  }
  let present = outcome.kind === 'done' ? presentOf(outcome.value) : now;
  try {
    await concluded(outcome, async () => {
      present = await askRegistrar(deps, place);
      return { applied: present.version === write.version, present: replyOf(present) };
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'outcome_unknown') {
      await conclude(deps, place, id, 'unknown');
    } else if (error instanceof AppError) {
      await inTransaction(deps.db, place, async (tx) => {
        // What did not come to the wire has no intent, and is in the history all the same. First: its intent may be under way yet, whose
        // question nobody waits for any more. It is waited for here, or finds this in its place.
        await insertVersion(tx, deps.clock, place, { ...version, state: 'refused', unlessThere: true });
        await concludeVersion(tx, place, id, 'refused');
      });
    }
    throw error;
  }
  const sealed = await sealing;
  const writeDown = async (tx: Tx) => {
    await concludeVersion(tx, place, id, 'applied');
    if (deps.copyMs > 0) await saveCopy(tx, place, bodyOf(present), deps.clock.now());
    await (sealed ? appendAll(tx, actor, [sealed]) : audit(tx, actor, entry));
    if (asksLater) await write.lease.requireIn(tx);
    if (write.endsLease) await write.lease.endWith(tx);
  };
  try {
    await (sealed ? inOneGo : inTransaction)(deps.db, place, writeDown);
  } catch (error) {
    if (!isLeaseLost(error)) throw error;
    await giveUp(deps, place, id);
  }
  return present;
}

/**
 * The lease was lost while the registrar was asked: others may have written before this write struck, which then covered
 * theirs. Nobody can tell from here; a job puts right what was acknowledged since (`zone-repair.ts`).
 */
async function giveUp(deps: WritingDeps, place: ZonePlace, id: string): Promise<never> {
  await inTransaction(deps.db, place, async (tx) => {
    await concludeVersion(tx, place, id, 'unknown');
    await repairLater(tx, place, id);
  });
  throw new AppError('outcome_unknown');
}

/** Replacing needs a zone to replace. */
async function send(
  { registrar }: WritingDeps,
  { place, now, records }: ZoneWrite,
  fence: Fence,
): Promise<Outcome<RegistrarZone>> {
  if (!now.exists) {
    const created = await registrar.createZone(place.address, fence);
    if (created.kind !== 'done') return created;
  }
  return registrar.replaceZone(place.address, groupRecords(records), fence);
}

function conclude(deps: WritingDeps, place: ZonePlace, id: string, state: VersionState): Promise<void> {
  return inTransaction(deps.db, place, (tx) => concludeVersion(tx, place, id, state));
}

function entryOf(
  { place, customerId, now, records, reason }: ZoneWrite,
  changes: ReturnType<typeof changesBetween>,
) {
  const some = (action: 'add' | 'remove') =>
    changes
      .filter((change) => change.action === action)
      .slice(0, loggedChanges)
      .map(({ record }) => record);
  return {
    action: 'dns.changeZone' as const,
    objectKind: 'zone',
    object: place.address,
    customerId,
    before: { records: now.records.length, removed: some('remove') },
    after: { records: records.length, added: some('add'), reason },
  };
}
