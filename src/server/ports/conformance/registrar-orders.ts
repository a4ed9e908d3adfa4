import { describe, expect, test } from 'vitest';
import type { Outcome } from '../outcome.ts';
import type { ConformanceContext, OrderFault } from './registrar.ts';

/** Orders that cost money: what is said of them must be true, whatever happens on the way. */
export function orderConformance(context: ConformanceContext): void {
  registering(context);
  renewing(context);
  meetingFaults(context);
  redeeming(context);
  transferring(context);
}

/** How many completed orders of a name carry a tag. */
function completedOf({ registrar }: ConformanceContext) {
  return async (domain: string, tag: string): Promise<number> => {
    const orders = await registrar().ordersFor(domain);
    return orders.filter((order) => order.tag === tag && order.state === 'completed').length;
  };
}

function registering(context: ConformanceContext): void {
  const { registrar, world, freshName, freshTag, input, registered } = context;
  const completedUnder = completedOf(context);

  describe('registering', () => {
    test('done: the name is ours for the years, locked, under our tag, and paid once', async () => {
      const domain = freshName();
      const order = { ...input(domain), years: 2 };
      const [{ costCents }, before] = await Promise.all([
        registrar().quote(domain, 'new', 2),
        registrar().balance(),
      ]);
      const outcome = await registrar().register(order);
      expect(outcome).toMatchObject({
        kind: 'done',
        value: { orderId: expect.stringMatching(/^\d+$/), notes: [] },
      });
      const [found, after] = await Promise.all([registrar().domain(domain), registrar().balance()]);
      expect(found).toMatchObject({ domain, locked: true, autoRenew: false });
      const years = (found?.expiresAt?.getUTCFullYear() ?? 0) - (found?.registeredAt?.getUTCFullYear() ?? 0);
      expect(years).toBe(2);
      expect(found?.contacts.owner).toEqual(order.contacts.owner);
      expect(before.balanceCents - before.heldCents - (after.balanceCents - after.heldCents)).toBe(costCents);
      const orders = await registrar().ordersFor(domain);
      expect(orders).toMatchObject([{ domain, kind: 'new', state: 'completed', tag: order.tag }]);
      expect(await registrar().order(orders[0]?.orderId ?? '')).toEqual(orders[0]);
    });

    test('refused: taken, and no second order is carried out', async () => {
      const domain = await registered();
      const again = input(domain);
      expect(await registrar().register(again)).toMatchObject({ kind: 'refused', reason: 'taken' });
      expect(await world.carriedOut(domain, again.tag)).toBe(0);
      expect(await completedUnder(domain, again.tag)).toBe(0);
    });

    test('a premium name is bought at its quoted cost only', async () => {
      const domain = freshName('premium');
      const quote = await registrar().quote(domain, 'new', 1);
      expect(quote.premium).toBe(true);
      const order = input(domain);
      const wrong = await registrar().register({ ...order, premiumCostCents: quote.costCents - 100 });
      expect(wrong).toMatchObject({ kind: 'refused' });
      const right = { ...order, tag: freshTag(), premiumCostCents: quote.costCents };
      expect(await registrar().register(right)).toMatchObject({ kind: 'done' });
    });

    test('there is no such order', async () => {
      expect(await registrar().order('999999999')).toBeNull();
      expect(await registrar().ordersFor(freshName())).toEqual([]);
    });

    test('an order is found by its tag, and what was never ordered is absent', async () => {
      const order = input(freshName());
      await registrar().register(order);
      const wanted = { domain: order.domain, tag: order.tag, kind: 'new' as const };
      const since = new Date(Date.now() - 86_400_000);
      expect(await registrar().seekOrder({ ...wanted, since })).toMatchObject({
        kind: 'found',
        orders: [{ tag: order.tag, kind: 'new' }],
      });
      expect(await registrar().seekOrder({ ...wanted, since, tag: freshTag() })).toEqual({ kind: 'absent' });
      expect(await registrar().seekOrder({ ...wanted, since, domain: freshName() })).toEqual({
        kind: 'absent',
      });
      const certificate = { domain: order.domain, tag: freshTag(), since };
      expect(await registrar().seekCertificateOrder(certificate)).toEqual({ kind: 'absent' });
    });
  });
}

function renewing(context: ConformanceContext): void {
  const { registrar, world, freshTag, registered } = context;

  describe('renewing', () => {
    test('done: the expiry moves by the years; the same once more is refused and moves nothing', async () => {
      const domain = await registered();
      const before = (await registrar().domain(domain))?.expiresAt ?? new Date(0);
      const order = {
        domain,
        years: 2,
        currentExpiryYear: before.getUTCFullYear(),
        autoRenew: false,
        tag: freshTag(),
      };
      const expected = new Date(before);
      expected.setUTCFullYear(expected.getUTCFullYear() + 2);
      expect(await registrar().renew(order)).toMatchObject({ kind: 'done', value: { expiresAt: expected } });
      const again = { ...order, tag: freshTag() };
      const repeated = await registrar().renew(again);
      expect(repeated.kind === 'refused' && ['already-done', 'year-mismatch'].includes(repeated.reason)).toBe(
        true,
      );
      expect((await registrar().domain(domain))?.expiresAt).toEqual(expected);
      expect(await world.carriedOut(domain, again.tag)).toBe(0);
      const orders = await registrar().ordersFor(domain);
      expect(orders.find(({ tag }) => tag === order.tag)).toMatchObject({
        kind: 'renewal',
        state: 'completed',
      });
    });
  });

  /** What may be said when an order meets a fault. */
}

const truth: Record<OrderFault, { said: Outcome<unknown>['kind'][]; times: number }> = {
  refused: { said: ['refused'], times: 0 },
  busy: { said: ['busy', 'done'], times: 1 },
  lost: { said: ['unknown'], times: 0 },
  'answer-lost': { said: ['unknown'], times: 1 },
  'connection-lost': { said: ['unknown'], times: 1 },
  'answer-cut': { said: ['unknown'], times: 1 },
  garbage: { said: ['unknown'], times: 1 },
  empty: { said: ['unknown'], times: 1 },
  'timed-out': { said: ['unknown'], times: 0 },
  'timed-out-but-done': { said: ['unknown'], times: 1 },
  'kept-pending': { said: ['pending'], times: 0 },
  asynchronous: { said: ['pending'], times: 0 },
};
const faults = Object.keys(truth) as OrderFault[];

function meetingFaults(context: ConformanceContext): void {
  const { registrar, world, freshName, freshTag, input, registered } = context;
  const completedUnder = completedOf(context);

  describe('an order that meets a fault', () => {
    test.each(faults)(
      'a registration, %s: never called what it is not, never done twice, found by its tag',
      async (fault) => {
        const domain = freshName();
        await world.spoil(domain, fault);
        const order = input(domain);
        const outcome = await registrar().register(order);
        expect(truth[fault].said).toContain(outcome.kind);
        const times = outcome.kind === 'busy' ? 0 : truth[fault].times;
        expect(await world.carriedOut(domain, order.tag)).toBe(times);
        expect(await completedUnder(domain, order.tag)).toBe(times);
        expect((await registrar().domain(domain)) !== null).toBe(times === 1);
      },
    );

    test.each(faults)('a renewal, %s: the expiry tells', async (fault) => {
      const domain = await registered();
      const before = (await registrar().domain(domain))?.expiresAt ?? new Date(0);
      await world.spoil(domain, fault);
      const order = {
        domain,
        years: 1,
        currentExpiryYear: before.getUTCFullYear(),
        autoRenew: false,
        tag: freshTag(),
      };
      const outcome = await registrar().renew(order);
      expect(truth[fault].said).toContain(outcome.kind);
      const times = outcome.kind === 'busy' ? 0 : truth[fault].times;
      expect(await completedUnder(domain, order.tag)).toBe(times);
      const after = (await registrar().domain(domain))?.expiresAt ?? new Date(0);
      expect(after.getUTCFullYear() - before.getUTCFullYear()).toBe(times);
    });

    test('an asynchronous registry: pending, found as pending, then completed', async () => {
      const domain = freshName();
      await world.spoil(domain, 'asynchronous');
      const order = input(domain);
      const outcome = await registrar().register(order);
      const orderId = outcome.kind === 'pending' ? outcome.orderId : null;
      expect(orderId).not.toBeNull();
      expect((await registrar().ordersFor(domain)).map(({ state, tag }) => [state, tag])).toEqual([
        ['pending', order.tag],
      ]);
      await world.finishOrder(orderId ?? '');
      expect(await completedUnder(domain, order.tag)).toBe(1);
      expect(await registrar().domain(domain)).not.toBeNull();
    });
  });
}

function redeeming(context: ConformanceContext): void {
  const { registrar, world, freshTag, registered } = context;
  const completedUnder = completedOf(context);

  test('a deleted name is had back once, with its tag, or refused where the registrar has no such thing', async () => {
    const domain = await registered();
    const before = (await registrar().domain(domain))?.expiresAt?.getUTCFullYear() ?? 0;
    const order = { domain, tag: freshTag() };
    expect((await registrar().redeem(order)).kind).toBe('refused');
    await world.expireAndDelete(domain);
    expect(await registrar().domain(domain)).toBeNull();
    const outcome = await registrar().redeem(order);
    if (!world.restores) {
      expect(outcome.kind).toBe('refused');
      return;
    }
    expect(outcome.kind).toBe('done');
    expect(await completedUnder(domain, order.tag)).toBe(1);
    expect((await registrar().ordersFor(domain))[0]).toMatchObject({
      kind: 'redemption',
      state: 'completed',
    });
    const after = await registrar().domain(domain);
    expect(after?.expiresAt?.getUTCFullYear()).toBe(before);
    expect((await registrar().redeem({ domain, tag: freshTag() })).kind).toBe('refused');
  });
}

function transferring(context: ConformanceContext): void {
  const { registrar, world, freshName, input, registered } = context;
  const completedUnder = completedOf(context);

  describe('transferring in', () => {
    const authCode = 'xY9!<&>"9';
    const transfer = (domain: string, code = authCode) => {
      const { contacts, credentials, tag } = input(domain);
      return { domain, authCode: code, contacts, credentials, tag };
    };

    test('a name elsewhere is checked, moved and then ours, with a year more', async () => {
      const domain = freshName();
      await world.elsewhere(domain, { authCode });
      expect(await registrar().checkTransfer(domain)).toMatchObject({
        transferable: true,
        unavailable: false,
      });
      const order = transfer(domain);
      const outcome = await registrar().transferIn(order);
      expect(outcome).toMatchObject({ kind: 'done' });
      expect(await registrar().transferStatus(domain)).toMatch(/^pending_/);
      expect(await registrar().ordersFor(domain)).toMatchObject([
        { kind: 'transfer', state: 'pending', tag: order.tag },
      ]);
      await world.finishTransfer(domain);
      expect(await registrar().transferStatus(domain)).toBe('completed');
      expect(await registrar().domain(domain)).toMatchObject({ domain });
      expect(await completedUnder(domain, order.tag)).toBe(1);
    });

    test('a locked name is said to be, and refused', async () => {
      const domain = freshName();
      await world.elsewhere(domain, { authCode, locked: true });
      const check = await registrar().checkTransfer(domain);
      expect(check.transferable).toBe(false);
      expect(check.reason).toMatch(/\w/);
      expect(await registrar().transferIn(transfer(domain))).toMatchObject({
        kind: 'refused',
        reason: 'not-transferable',
      });
    });

    test('one of ours cannot be moved to us', async () => {
      const domain = await registered();
      expect((await registrar().checkTransfer(domain)).transferable).toBe(false);
      expect((await registrar().transferIn(transfer(domain))).kind).toBe('refused');
    });

    test('a transfer that is cancelled ends', async () => {
      const domain = freshName();
      await world.elsewhere(domain, { authCode });
      const outcome = await registrar().transferIn(transfer(domain));
      const orderId = outcome.kind === 'done' ? outcome.value.orderId : '';
      expect(await registrar().cancelTransfer(orderId)).toMatchObject({ kind: 'done' });
      expect(await registrar().transferStatus(domain)).toBe('cancelled');
      expect(await registrar().order(orderId)).toMatchObject({ state: 'cancelled' });
    });
  });
}
