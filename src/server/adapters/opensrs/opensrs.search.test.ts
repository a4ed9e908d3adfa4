import { afterEach, describe, expect, test } from 'vitest';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Registrar } from '../../ports/registrar.ts';
import { type Answer, no, ok, type ScriptedServer, startScripted } from './testing/scripted-server.ts';

/** Finding what became of an order: absence decides about money, so doubt must never look like it. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args);
  return server;
}
describe('finding an order again', () => {
  const wanted = {
    ...{ domain: 'a.com', tag: 'item-1', kind: 'new' as const },
    since: new Date('2008-01-01T00:00:00Z'),
  };
  const info = (id: string, tag: string, more = {}) =>
    ok({
      field_hash: {
        id,
        domain: 'a.com',
        status: 'completed',
        reg_type: 'new',
        period: '2',
        cost: '19.7',
        order_date: '1199145600',
        affiliate_id: tag,
        ...more,
      },
    });

  test('newest first, with tag, kind, state and cost', async () => {
    const { registrar } = await start(({ action, attributes }) => {
      if (action === 'GET_ORDERS_BY_DOMAIN') return ok({ orders: [{ id: '998' }, { id: '1001' }] });
      return attributes.order_id === '998'
        ? info('998', 'item-1')
        : info('1001', 'item-2', {
            reg_type: 'renewal',
            status: 'pending',
            cost: '',
            affiliate_id: 'item-2',
          });
    });
    expect(await registrar.ordersFor('a.com')).toMatchObject([
      { orderId: '1001', kind: 'renewal', state: 'pending', tag: 'item-2', costCents: null },
      { orderId: '998', kind: 'new', state: 'completed', tag: 'item-1', costCents: 1970, years: 2 },
    ]);
  });

  test('that there is none decides about money: "not ours" is asked twice, and doubt is no answer', async () => {
    const script = (belongs: Answer) =>
      start(({ action }) => (action === 'BELONGS_TO_RSP' ? belongs : no('415', 'Authentication Error.')));
    const ask = async (belongs: Answer, then: (registrar: Registrar) => Promise<unknown>) => {
      const { registrar, close } = await script(belongs);
      await then(registrar);
      await close();
      server = undefined;
    };
    await ask(ok({ belongs_to_rsp: '0' }), async (registrar) =>
      expect(await registrar.ordersFor('a.com')).toEqual([]),
    );
    await ask(ok({ belongs_to_rsp: '1' }), (registrar) =>
      expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable),
    );
    await ask(ok({ belongs_to_rsp: '1' }), (registrar) =>
      expect(registrar.seekOrder(wanted)).rejects.toThrow(UpstreamUnavailable),
    );
    await ask(ok({}), (registrar) =>
      expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable),
    );
    await ask(no('705', 'x'), (registrar) =>
      expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable),
    );
  });

  test.each([
    ['that the registrar does not find', no('480', 'not found')],
    ['in no words about an order', ok({ note: 'x' })],
  ])('a listed order %s is no absent one', async (_what, answer) => {
    const { registrar } = await start(({ action }) =>
      action === 'GET_ORDERS_BY_DOMAIN' ? ok({ orders: [{ id: '1' }] }) : answer,
    );
    expect(await registrar.seekOrder(wanted)).toMatchObject({ kind: 'unreadable' });
    await expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable);
  });

  test.each([
    ['carries the tag', { affiliate_id: 'item-1' }, 'found'],
    ["carries another's", {}, 'absent'],
    ['carries none', { affiliate_id: '' }, 'untagged'],
    ['carries none, and is of another kind', { affiliate_id: '', reg_type: 'renewal' }, 'absent'],
    ['carries none, and does not say its kind', { affiliate_id: '', reg_type: '' }, 'untagged'],
    [
      'carries none, and is older than what is sought',
      { affiliate_id: '', order_date: '1199145599' },
      'absent',
    ],
    ['carries none, and does not say when it was placed', { affiliate_id: '', order_date: '' }, 'untagged'],
    ['carries none, and was declined', { affiliate_id: '', status: 'declined' }, 'absent'],
    ['carries none, and is of another name', { affiliate_id: '', domain: 'b.com' }, 'absent'],
    ['carries none, and does not say its name', { affiliate_id: '', domain: '' }, 'untagged'],
  ])('an order that %s: what the look-up by tag says', async (_what, fields, kind) => {
    const { registrar } = await start(({ action }) =>
      action === 'GET_ORDERS_BY_DOMAIN' ? ok({ orders: [{ id: '1' }] }) : info('1', 'item-2', fields),
    );
    expect((await registrar.seekOrder(wanted)).kind).toBe(kind);
  });

  test('a list with a line that names no order, or with more orders than are read, is not wholly read', async () => {
    const listing = (orders: { id?: string; order_date?: string }[]) =>
      start(({ action, attributes }) =>
        action === 'GET_ORDERS_BY_DOMAIN' ? ok({ orders }) : info(String(attributes.order_id), 'item-2'),
      );
    const nameless = await listing([{ id: '1' }, { order_date: '1199145600' }]);
    expect((await nameless.registrar.seekOrder(wanted)).kind).toBe('unreadable');
    await nameless.close();
    const many = Array.from({ length: 26 }, (_, i) => ({ id: String(i + 1) }));
    const long = await listing(many);
    expect((await long.registrar.seekOrder(wanted)).kind).toBe('unreadable');
    await long.close();
    // Those that are too old by the list itself need not be read.
    const old = await listing(many.map((row, i) => (i < 20 ? { ...row, order_date: '1199145599' } : row)));
    expect((await old.registrar.seekOrder(wanted)).kind).toBe('absent');
  });

  test('one order that cannot be read makes the whole answer unavailable', async () => {
    const { registrar } = await start(({ action }) =>
      action === 'GET_ORDERS_BY_DOMAIN' ? ok({ orders: [{ id: '1' }] }) : no('705', 'x'),
    );
    await expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable);
  });

  test('certificates, by the tag in either of its places, from the list that there is', async () => {
    const order = (id: string, more: object) =>
      ok({ order_id: id, domain: 'www.a.com', product_type: 'rapidssl', state: 'in-progress', ...more });
    const { registrar } = await start(({ action, object, attributes }) => {
      if (action === 'GET_ORDERS_BY_DOMAIN') {
        return object === 'DOMAIN'
          ? ok({ orders: [{ id: '7' }, { id: '8' }, { id: '9' }] })
          : no('430', 'Invalid command');
      }
      if (attributes.order_id === '7') return order('7', { affiliate_id: 'item-7' });
      if (attributes.order_id === '8') return order('8', { special_instructions: 'Order reference item-8' });
      // The order of the name itself, which the list of names has too.
      return object === 'DOMAIN' ? info('9', 'item-9') : no('480', 'Order not found');
    });
    const found = await registrar.certificateOrdersFor('www.a.com');
    expect(found.map(({ orderId, tag }) => [orderId, tag])).toEqual([
      ['8', 'item-8'],
      ['7', 'item-7'],
    ]);
  });

  test.each([
    ['that neither object finds', no('480', 'Order not found'), 'unreadable'],
    ['without its product', ok({ order_id: '7', domain: 'www.a.com', state: 'in-progress' }), 'unreadable'],
    ['without its name', ok({ order_id: '7', product_type: 'rapidssl', state: 'in-progress' }), 'unreadable'],
    ['without a tag', ok({ domain: 'www.a.com', product_type: 'rapidssl', state: 'completed' }), 'untagged'],
    ["with another's tag", ok({ domain: 'www.a.com', product_type: 'x', affiliate_id: 'item-2' }), 'absent'],
    ['of another name', ok({ domain: 'b.com', product_type: 'rapidssl', state: 'completed' }), 'absent'],
    [
      'without a tag that was declined',
      ok({ domain: 'www.a.com', product_type: 'x', state: 'declined' }),
      'absent',
    ],
  ])('a certificate order %s: what the look-up by tag says', async (_what, answer, kind) => {
    const { registrar } = await start(({ action, object }) => {
      if (action === 'GET_ORDERS_BY_DOMAIN') return ok({ orders: object === 'DOMAIN' ? [] : [{ id: '7' }] });
      return object === 'DOMAIN' ? no('480', 'Order not found') : answer;
    });
    expect((await registrar.seekCertificateOrder({ ...wanted, domain: 'www.a.com' })).kind).toBe(kind);
  });

  test('certificates are not taken for absent when nothing lists them', async () => {
    const { registrar } = await start(() => no('430', 'Invalid command'));
    await expect(registrar.certificateOrdersFor('www.a.com')).rejects.toThrow(UpstreamUnavailable);
  });
});
