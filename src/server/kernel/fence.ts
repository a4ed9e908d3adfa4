import { startPassage } from './passage.ts';

/**
 * The right to write to the outside world: taken with a claim or a lease, asked for when the call's turn has come, after
 * all waiting, right before its first byte. A process that was paused meanwhile (a machine that slept, swap, a debugger)
 * has lost it and sends nothing (design: fences; docs/decisions/0110).
 */
export interface Fence {
  /** How long the call may take from now on; 0: the claim is lost. One round trip to the database, which decides. */
  holdsForMs(): Promise<number>;
  /**
   * Whether the last answer still stands, without asking: nobody can have taken the row since. Asked when something else was waited for in
   * between. Absent: there is no row that anybody could take.
   */
  stands?(): boolean;
}

export interface Claim {
  /** From the claim to the end of the last call that it allows. */
  limitMs: number;
  /** How long the claim's row is mine without being renewed, by the database's clock; 0 when it is not. */
  leftMs(): Promise<number>;
}

/** Make it before the claim is committed: what passes in between counts. */
export function createFence({ limitMs, leftMs }: Claim): Fence {
  const passed = startPassage();
  let stands = () => false;
  return {
    stands: () => stands(),
    async holdsForMs() {
      stands = () => false;
      if (passed() >= limitMs) return 0;
      // The answer is about the moment at which the database was asked, or later.
      const sinceAsked = startPassage();
      const left = await leftMs();
      if (left <= sinceAsked()) return 0;
      stands = () => sinceAsked() < left;
      return Math.max(0, limitMs - passed());
    },
  };
}

/** Why a write needs no claim: each is a kind of call that does no harm however late it comes. */
export type Unfenced =
  /** The vendor makes one thing of it whenever and however often it is asked, by the key that it carries. */
  | 'its-key-makes-it-once'
  /** It moves nothing until a person completes it at the vendor. */
  | 'a-person-completes-it'
  /** It ends only what nobody has completed, and what it is then is read again. */
  | 'ends-what-is-not-done'
  /** It marks news as read that are stored already. */
  | 'news-are-stored-already';

const alwaysHolds: Fence = { holdsForMs: async () => Number.POSITIVE_INFINITY };

export function unfenced(_why: Unfenced): Fence {
  return alwaysHolds;
}
