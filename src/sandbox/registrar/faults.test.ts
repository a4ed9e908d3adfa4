import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, type Fields, newOrder, openStand, type Stand } from './test-client.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());
beforeEach(() => stand.control('reset'));

const register = (domain: string, more: Fields = {}) =>
  stand.send('SW_REGISTER', 'DOMAIN', newOrder(domain, { affiliate_id: `tag-${domain}`, ...more }));
const lookup = async (domain: string) => (await stand.send('LOOKUP', 'DOMAIN', { domain })).code;
const completed = async (domain: string) =>
  (await stand.state()).orders.filter(
    (order) => order.affiliateId === `tag-${domain}` && order.status === 'completed',
  ).length;

describe('by name', () => {
  it.each([
    ['a-refuse.com', '465'],
    ['a-nofunds.com', '440'],
    ['a-timedout.com', '705'],
  ])('%s is refused once with %s and nothing is held; then it succeeds', async (domain, code) => {
    expect(await lookup(domain)).toBe('210');
    expect((await register(domain)).code).toBe(code);
    expect(await completed(domain)).toBe(0);
    expect((await register(domain)).code).toBe('200');
    expect(await completed(domain)).toBe(1);
  });

  it('busy is 486 twice, always- has no end', async () => {
    const codes = [];
    for (let count = 0; count < 3; count += 1) codes.push((await register('busy2.com')).code);
    expect(codes).toEqual(['486', '486', '200']);
    for (let count = 0; count < 4; count += 1) expect((await register('x-always-busy.com')).code).toBe('486');
  });

  it('timeout-before answers nothing and does nothing', async () => {
    await expect(register('timeout-before-1.com')).rejects.toThrow();
    expect(await lookup('timeout-before-1.com')).toBe('210');
  });

  it('timeout-after answers nothing, but the name is ours and paid, once', async () => {
    await expect(register('timeout-after-1.com')).rejects.toThrow();
    expect(await completed('timeout-after-1.com')).toBe(1);
    expect((await register('timeout-after-1.com')).code).toBe('485');
    expect((await stand.state()).balance).toBe('99989.74');
  });

  it('late answers nothing and comes true afterwards, also over a restart', async () => {
    await stand.control('knobs', { lateMs: 60_000 });
    await expect(register('my-late.com')).rejects.toThrow();
    expect(await completed('my-late.com')).toBe(0);
    await stand.reopen();
    stand.store.advance(61_000);
    expect(await completed('my-late.com')).toBe(1);
    expect((await stand.state()).domains).toHaveLength(1);
  });

  it.each(['garbage', 'empty', 'truncated'])(
    '%s: the order is carried out, the reply useless',
    async (word) => {
      const domain = `x-${word}.com`;
      const reply = await register(domain).catch(() => null);
      expect(reply?.code ?? '').toBe('');
      expect(await completed(domain)).toBe(1);
    },
  );

  it('forcedpending is a success that holds nothing', async () => {
    const reply = await register('my-forcedpending.com');
    expect(reply).toMatchObject({ code: '200', success: '1' });
    expect(reply.attributes.forced_pending).toBe(reply.attributes.id);
    expect(await lookup('my-forcedpending.com')).toBe('210');
    const done = await stand.send('PROCESS_PENDING', 'DOMAIN', { order_id: reply.attributes.id ?? '' });
    expect(done.code).toBe('200');
    expect(await completed('my-forcedpending.com')).toBe(1);
  });

  it('async is 250, waits as 221, and completes by itself with the money held until then', async () => {
    const reply = await register('my-async.com');
    expect(reply).toMatchObject({ code: '250', success: '1' });
    expect(await lookup('my-async.com')).toBe('221');
    expect((await stand.state()).hold).toBe('10.26');
    expect((await register('my-async.com')).code).toBe('437');
    stand.store.advance(61_000);
    expect(await stand.state()).toMatchObject({
      hold: '0.00',
      balance: '99989.74',
      domains: [{ domain: 'my-async.com' }],
    });
    expect(await completed('my-async.com')).toBe(1);
  });

  it('taken-late looks free until it is ordered', async () => {
    expect(await lookup('x-taken-late.com')).toBe('210');
    expect((await register('x-taken-late.com')).code).toBe('485');
    expect(await lookup('x-taken-late.com')).toBe('211');
  });

  it('a premium name must be ordered at its price', async () => {
    expect((await register('x-premium.com')).code).toBe('465');
    expect((await register('x-premium.com', { premium_price_to_verify: '2500' })).code).toBe('200');
  });

  it('privacy may fail alone', async () => {
    const { attributes } = await register('x-noprivacy.com', { f_whois_privacy: '1' });
    expect(attributes).toMatchObject({
      whois_privacy_state: 'disabled',
      whois_privacy: { is_success: '0', response_code: '300' },
    });
  });

  it('renewals are hit apart from registrations', async () => {
    await register('a-refuse.com');
    await register('a-refuse.com');
    const year = (await stand.state()).domains[0]?.expiresAt.slice(0, 4) ?? '';
    const renew = () =>
      stand.send('RENEW', 'DOMAIN', {
        domain: 'a-refuse.com',
        period: '1',
        handle: 'process',
        currentexpirationyear: year,
      });
    expect((await renew()).code).toBe('480');
    expect((await renew()).code).toBe('200');
  });

  it.each(['chocolate.com', 'slowfood.com', 'refuseme.com', 'lateral.com', 'untaken.com', 'item-705.com'])(
    'a word inside another is no fault: %s',
    async (domain) => {
      expect((await register(domain)).code).toBe('200');
    },
  );
});

describe('by call', () => {
  it('hits the commands it names, as often as it says', async () => {
    await stand.control('faults', {
      action: 'lookup',
      domain: '*-test.com',
      effect: 'code',
      code: 404,
      text: 'Internal Server Error',
      times: 2,
    });
    expect(await lookup('other.com')).toBe('210');
    expect([await lookup('a-test.com'), await lookup('b-test.com'), await lookup('a-test.com')]).toEqual([
      '404',
      '404',
      '210',
    ]);
  });

  it('faults of one name are cleared, and others stay', async () => {
    for (const domain of ['one-test.com', 'other-test.com']) {
      await stand.control('faults', { action: 'lookup', domain, effect: 'code', code: 400, times: 0 });
    }
    await stand.control('faults/clear', { domain: 'one-test.com' });
    expect([await lookup('one-test.com'), await lookup('other-test.com')]).toEqual(['210', '400']);
    await stand.control('faults/clear');
    expect(await lookup('other-test.com')).toBe('210');
  });

  it('times 0 lasts until cleared', async () => {
    await stand.control('faults', { effect: 'rate', times: 0 });
    for (let count = 0; count < 5; count += 1) expect(await lookup('a.com')).toBe('300');
    await stand.control('faults/clear');
    expect(await lookup('a.com')).toBe('210');
  });

  it('drops connections before and after the effect', async () => {
    await stand.control('faults', [
      { action: 'SW_REGISTER', effect: 'drop-before' },
      { action: 'SW_REGISTER', effect: 'drop-after' },
    ]);
    await expect(register('dropped.com')).rejects.toThrow();
    expect(await completed('dropped.com')).toBe(0);
    await expect(register('dropped.com')).rejects.toThrow();
    expect(await completed('dropped.com')).toBe(1);
  });

  it('cuts bodies short, and leaves the length out', async () => {
    await stand.control('faults', [{ effect: 'cut' }, { effect: 'no-length' }]);
    await expect(stand.send('LOOKUP', 'DOMAIN', { domain: 'a.com' })).rejects.toThrow();
    const reply = await stand.send('LOOKUP', 'DOMAIN', { domain: 'a.com' });
    expect(reply.code).toBe('210');
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it('705-after tells a time-out of what has happened', async () => {
    await stand.control('faults', { action: 'SW_REGISTER', effect: '705-after' });
    expect((await register('half-done.com')).code).toBe('705');
    expect(await completed('half-done.com')).toBe(1);
  });

  it('refuses rules that it does not know', async () => {
    await expect(stand.control('faults', { effect: 'explode' })).rejects.toThrow();
    await expect(stand.control('knobs', { hangMs: -1 })).rejects.toThrow();
    await expect(stand.control('knobs', { nonsense: 1 })).rejects.toThrow();
  });

  it('an answer that nobody waits for does not disturb the next', async () => {
    await stand.control('faults', { effect: 'timeout-before' });
    const [hung, other] = await Promise.allSettled([
      stand.send('LOOKUP', 'DOMAIN', { domain: 'a.com' }),
      stand.post('<x/>').then(answerOf),
    ]);
    expect(hung.status).toBe('rejected');
    expect(other).toMatchObject({ value: { code: '400' } });
  });
});
