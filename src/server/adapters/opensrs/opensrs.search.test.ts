import { afterEach, describe, expect, test } from 'vitest';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
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
      if (action === 'GET_ORDERS_BY_DOMAIN')
        return ok({ orders: [{ id: '998' }, { id: '1001' }, { id: '999' }] });
      if (attributes.order_id === '999') return no('480', 'not found');
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
      expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamRefused),
    );
    await ask(ok({}), (registrar) =>
      expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable),
    );
    await ask(no('705', 'x'), (registrar) =>
      expect(registrar.ordersFor('a.com')).rejects.toThrow(UpstreamUnavailable),
    );
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
      return no('480', 'Order not found');
    });
    const found = await registrar.certificateOrdersFor('www.a.com');
    expect(found.map(({ orderId, tag }) => [orderId, tag])).toEqual([
      ['8', 'item-8'],
      ['7', 'item-7'],
    ]);
  });

  test('certificates are not taken for absent when nothing lists them', async () => {
    const { registrar } = await start(() => no('430', 'Invalid command'));
    await expect(registrar.certificateOrdersFor('www.a.com')).rejects.toThrow(UpstreamUnavailable);
  });
});
