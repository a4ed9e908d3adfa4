import { expect } from 'vitest';
import { createDatabase, type Db } from '../../src/server/kernel/db/database.ts';
import { readTag } from '../../src/server/ports/tag.ts';
import type { Acme } from './acme-protocol.ts';
import type { AcmeStand } from './acme-stand.ts';
import { bookFaults, orderFaults, watchEnds, watchedFaults } from './invariants.ts';

/** What must hold of certificates that machines ordered, whatever happened to the processes on the way. */
export interface AcmeJudge extends AsyncDisposable {
  /** All invariants over everything so far (design: money). */
  expectSound(): Promise<void>;
  /** The purchases of a name by their states, and how many reissues the authority made of it. */
  expectPaid(name: string, items: readonly string[], reissues?: number): Promise<void>;
}

const ranks: Readonly<Record<string, number>> = { ready: 0, processing: 1, valid: 2, invalid: 2 };

/** 14: what a client was told of an order goes only forwards, and its end, with the chain, stays what it is. */
export async function expectKeptWord(acme: Acme): Promise<void> {
  for (const [location, told] of acme.told) {
    const now = await acme.post(location);
    const course = [...told, String(now.json?.status)];
    const sound = course.every((status, at) => {
      const before = course[at - 1];
      if (before === undefined || before === status) return status in ranks;
      return (ranks[status] ?? -1) > (ranks[before] ?? -1);
    });
    expect(sound, `14 ${location} was told as ${course.join(', ')}`).toBe(true);
    if (now.json.status !== 'valid') continue;
    const chains = [await acme.post(now.json.certificate), await acme.post(now.json.certificate)];
    expect(chains[0]?.text).toContain('BEGIN CERTIFICATE');
    expect(chains[1]?.text).toBe(chains[0]?.text);
  }
}

interface SandboxOrder {
  domain: string;
  state: string;
  tag: string;
  cost: string;
  baseOrderId: string | null;
}

export async function judgeOf({ stack }: AcmeStand): Promise<AcmeJudge> {
  const owner: Db = createDatabase({ url: stack.database.url, maxConnections: 1 });
  await watchEnds(owner);
  const { systemDb } = stack.database;

  const completed = async () => {
    const { orders } = await stack.control<{ orders: SandboxOrder[] }>('registrar', 'certificates');
    const done = orders.filter(({ state }) => state === 'completed');
    return done.map((order) => ({ ...order, tag: readTag(order.tag).tag ?? '' }));
  };
  const certificateItems = () =>
    systemDb
      .selectFrom('order_items')
      .select(['id', 'kind', 'address', 'state', 'cost_cents'])
      .where('kind', '=', 'certificate')
      .orderBy('id')
      .execute();

  return {
    async expectSound() {
      const [items, orders] = [await certificateItems(), await completed()];
      const bought = orders.filter(({ baseOrderId }) => baseOrderId === null);
      const faults = [
        ...orderFaults(items, ({ id }) => bought.filter(({ tag }) => tag === id).length, { atRest: true }),
        ...(await bookFaults(systemDb)),
        ...(await watchedFaults(owner)),
      ];
      const costs = new Map(items.map(({ id, cost_cents: cents }) => [id, cents]));
      for (const { tag, domain, cost } of bought) {
        const cents = Math.round(Number(cost) * 100);
        if (costs.get(tag) !== cents) faults.push(`7 ${domain}: the registrar took ${cents} for ${tag}`);
      }
      expect(faults, stack.log()).toEqual([]);
      const open = await systemDb.selectFrom('holds').select('item_id').where('state', '=', 'open').execute();
      expect(open).toEqual([]);
    },
    async expectPaid(name, states, reissues = 0) {
      const items = (await certificateItems()).filter(({ address }) => address === name);
      expect(items.map(({ state }) => state)).toEqual(states);
      const orders = (await completed()).filter(({ domain }) => domain === name);
      const free = orders.filter(({ baseOrderId }) => baseOrderId !== null);
      expect(orders.length - free.length).toBe(states.filter((state) => state === 'succeeded').length);
      expect(free.map(({ cost }) => Number(cost))).toEqual(Array(reissues).fill(0));
    },
    [Symbol.asyncDispose]: () => owner.destroy(),
  };
}
