import { isoDay } from '#contracts/values/format.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { postLetter } from '#kernel/letters.ts';
import { rightsOfRole, type Scope, standingOf } from '#kernel/scope.ts';
import { digestLetter } from './attention.letters.ts';
import { countItems, listItems } from './attention.repo.ts';
import { openCount } from './attention.rules.ts';
import { dueReaders, noteDigest, setDigest, wantsDigest } from './digests.repo.ts';
import { causesOf, shown } from './shown.ts';

export interface DigestDeps {
  db: Db;
  systemDb: Db;
  clock: Clock;
  publicUrl: string;
  /** Of the customers' own portal, if there is one. */
  clientUrl: string | null;
  /** Brings the list up to date. */
  settle: () => Promise<void>;
}

/** In one mail; the rest is on the screen. */
const mostMailed = 30;

/** The list by mail, each day, to those who want it. */
export function createDigests(deps: DigestDeps) {
  const { db, systemDb, clock } = deps;

  const get = async (scope: Scope) => ({
    daily: await inReading(db, scope, (tx) => wantsDigest(tx, scope)),
  });

  async function set(scope: Scope, daily: boolean): Promise<{ daily: boolean }> {
    return inTransaction(db, scope, async (tx) => {
      if (await setDigest(tx, scope, daily)) {
        await audit(tx, scope, {
          ...{ at: clock.now(), action: 'attention.setDigest', objectKind: 'user', object: scope.userId },
          ...{ customerId: null, before: { daily: !daily }, after: { daily } },
        });
      }
      return { daily };
    });
  }

  /** One mail to each who wants it and has something waiting, once a day. */
  async function mailAll(): Promise<void> {
    await deps.settle();
    const day = isoDay(clock.now());
    const readers = await systemTransaction(systemDb, (tx) => dueReaders(tx, day));
    await each(readers, ({ userId }) => mailDigest(userId, day));
  }

  async function mailDigest(userId: string, day: string): Promise<void> {
    await systemTransaction(systemDb, async (tx) => {
      // The round takes a while: who has lost their access since it began gets none, and nobody more than they may see now.
      const [reader] = await dueReaders(tx, day, userId);
      const standing = reader && standingOf(reader);
      if (!reader || !standing || !(await noteDigest(tx, userId, day))) return;
      const { organisationId, email } = reader;
      const scope: Scope = {
        ...{
          ...standing,
          userId,
          organisationId,
          email,
          rights: rightsOfRole,
          ip: null,
          requestId: 'digest',
        },
      };
      const causes = causesOf(scope);
      const now = clock.now();
      const rows = await listItems(tx, scope, { causes }, { limit: mostMailed, now });
      if (rows.length === 0) return;
      const counted = await countItems(tx, scope, { causes }, now);
      // A customer's own user deals with the MSP, which writes in its own name (decisions 90, 157).
      const inItsName = standing.role === 'MSP_CUSTOMER';
      const letter = digestLetter(
        // The list may give more than it was asked for.
        rows.slice(0, mostMailed).map((row) => shown(row, now, scope)),
        openCount(counted),
        (inItsName && deps.clientUrl) || deps.publicUrl,
      );
      const sender = { organisationId, inItsName };
      await postLetter(tx, { to: email, sender, letter, messageId: `attention.${userId}.${day}` });
    });
  }

  return { get, set, mailAll };
}
