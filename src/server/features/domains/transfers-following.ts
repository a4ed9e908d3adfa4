import { minuteMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { JobPayload, Jobs } from '#kernel/job-table.ts';
import { tellManagers } from '#kernel/letters.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarNames, RegistrarOrders, TransferStatus } from '../../ports/registrar.ts';
import type { Resolver } from '../../ports/resolver.ts';
import { nameserversLetter } from './domains.letters.ts';
import {
  compareTask,
  lookBeforeTask,
  openTransfers,
  recordAfter,
  recordBefore,
  recordTransferStatus,
  seekEnd,
  type TransferRow,
  transferOf,
} from './transfers.repo.ts';
import { endsTransfer, isOpen, sameNames } from './transfers.rules.ts';

export interface FollowingDeps {
  /** Of the portal, for the links in letters. */
  publicUrl: string;
  systemDb: Db;
  registrar: Pick<RegistrarOrders, 'transferStatus'> & Pick<RegistrarNames, 'domain'>;
  resolver: Pick<Resolver, 'nameservers'>;
  clock: Clock;
}

/** So many open transfers are asked about in one round of the job, and how often it comes. */
const turn = { most: 500, everyMs: 20 * minuteMs };

/** Follows transfers to their end: what the registrar says of them, and the delegation before and after. */
export function createFollowing(deps: FollowingDeps) {
  const { systemDb, registrar, resolver, clock } = deps;

  /** Asks the registrar; an answer that ends the transfer wakes its order. Without an answer the last one stands. */
  async function refresh(row: TransferRow): Promise<void> {
    let said: TransferStatus;
    try {
      said = await withFairnessKey(row.organisation_id, () => registrar.transferStatus(row.address));
    } catch (error) {
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return;
      throw error;
    }
    await systemTransaction(systemDb, async (tx) => {
      await recordTransferStatus(tx, row, said, clock.now());
      if (endsTransfer(said)) await seekEnd(tx, row);
    });
  }

  /** The delegation while it is still the old one: what the new one is compared with. */
  async function lookBefore(itemId: string): Promise<void> {
    const row = await load(itemId);
    if (!row || row.nameservers_before) return;
    const names = await resolver.nameservers(row.address);
    await systemTransaction(systemDb, (tx) => recordBefore(tx, itemId, names));
  }

  /** After completion: whether the domain is delegated as it was. Where it is not, the MSP is told. */
  async function compare(itemId: string): Promise<void> {
    const row = await load(itemId);
    if (!row?.completed_at || row.compared_at) return;
    const read = await withFairnessKey(row.organisation_id, () => registrar.domain(row.address));
    if (!read) throw new UpstreamUnavailable(`registrar: ${row.address} is not in the account yet`);
    const after = [...read.nameservers].sort();
    await systemTransaction(systemDb, async (tx) => {
      const first = await recordAfter(tx, itemId, after, clock.now());
      if (!first || sameNames(row.nameservers_before, after) !== false) return;
      const nameservers = { before: row.nameservers_before ?? [], after };
      await tellManagers(tx, {
        organisationId: row.organisation_id,
        notice: `transfer-nameservers.${itemId}`,
        letter: nameserversLetter({ address: row.address, ...nameservers, publicUrl: deps.publicUrl }),
      });
    });
  }

  function load(itemId: string): Promise<TransferRow | undefined> {
    return systemTransaction(systemDb, (tx) => transferOf(tx, itemId));
  }

  /** The registrar has said that something moved. */
  async function askOne(itemId: string): Promise<void> {
    const row = await load(itemId);
    if (row && isOpen(row)) await refresh(row);
  }

  /** Asks about every open transfer, those first of which nothing was heard for longest. */
  async function poll(): Promise<void> {
    const open = await systemTransaction(systemDb, openTransfers);
    await each(turnOf(open, clock.now(), turn), refresh);
  }

  return {
    refresh,
    tasks: {
      [lookBeforeTask]: ({ itemId }: JobPayload<typeof lookBeforeTask>) => lookBefore(itemId),
      [compareTask]: ({ itemId }: JobPayload<typeof compareTask>) => compare(itemId),
      'transfers.ask': ({ itemId }: JobPayload<'transfers.ask'>) => askOne(itemId),
      'transfers.poll': poll,
    } satisfies Partial<Jobs>,
  };
}
