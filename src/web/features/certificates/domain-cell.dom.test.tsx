import { afterEach, describe, expect, test, vi } from 'vitest';
import { certificatePrices } from '../../../../tests/support/acme-samples.ts';
import { Held, openScreen, refused, screen, uuid } from '../../../../tests/support/screen.tsx';
import { DomainCertificate } from './domain-cell.tsx';

/** The certificate of a domain in a list of domains. */

const prices = 'GET /ssl/prices';
const bare = { address: 'acme.example', customerId: uuid(21) as string | null, certificate: null };

async function open(
  domain: Parameters<typeof DomainCertificate>[0]['domain'] = bare,
  { mayBuy = true, answer = certificatePrices as unknown } = {},
) {
  const offers: unknown[] = [];
  const opened = await openScreen(
    () => <DomainCertificate {...{ domain, mayBuy }} onOffer={(offer) => offers.push(offer)} />,
    { answers: { [prices]: answer } },
  );
  const link = () => screen.getByRole('link', { name: 'Purchase SSL Certificate for acme.example' });
  return { ...opened, offers, link };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a domain without one', () => {
  test("is offered the first product for the domain's customer, once for a press", async () => {
    const answer = new Held();
    const { user, link, offers, settled, path } = await open(bare, { answer });
    await user.dblClick(link());
    expect(link().textContent).toBe('Loading prices...');
    answer.give(certificatePrices);
    await settled();
    expect(offers).toEqual([
      {
        ...{ type: 'certificate', address: 'acme.example', customerId: uuid(21) },
        ...{ provider: 'DigiCert', productType: 'rapidssl', csr: '', csrName: '' },
      },
    ]);
    // Where it goes from here is for the screen.
    expect(path()).toBe('/');
  });

  test.each<[string, unknown, string | null, string | null]>([
    [
      ...(['prices that cannot be read', refused(500, 'internal'), uuid(21)] as const),
      'Could not get certificate price data, please try again',
    ],
    [
      ...(['no customer', certificatePrices, null] as const),
      'Could not get owner data for this domain, please try again',
    ],
  ])('with %s is offered none, and says why', async (_what, answer, customerId, message) => {
    const { user, link, offers } = await open({ ...bare, customerId }, { answer });
    await user.click(link());
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(offers).toEqual([]);
    expect(link().textContent).toBe('Purchase SSL Certificate');
  });

  test('where nothing is sold is offered none', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { user, link, offers } = await open(bare, { answer: [] });
    await user.click(link());
    expect(offers).toEqual([]);
    expect(logged).toHaveBeenCalledWith('No certificates available');
  });

  test('offers nothing to those who may not buy', async () => {
    await open(bare, { mayBuy: false });
    expect(screen.queryByRole('link')).toBeNull();
  });
});

describe('a domain with one', () => {
  test('leads to its page, with its state', async () => {
    await open({ ...bare, certificate: { state: 'awaiting-approval', orderId: '4711' } }, { mayBuy: false });
    const link = screen.getByRole('link', { name: 'Status: awaiting approval' });
    expect(link.getAttribute('href')).toBe('/SSL/4711');
  });

  test('that the registrar does not have yet tells its state, and leads nowhere', async () => {
    await open({ ...bare, certificate: { state: 'pending', orderId: null } });
    expect(screen.getByText('Status: pending')).toBeDefined();
    expect(screen.queryByRole('link')).toBeNull();
  });
});
