import { describe, expect, test } from 'vitest';
import {
  type Answers,
  Held,
  type Opened,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { readingOf, type ShownDomain } from '../../../../tests/support/shown-domain.ts';
import { useDomainDetails } from './api.ts';
import { RestoreNotice } from './restore-notice.tsx';

function Shown({ mayBuy, spendableCents }: { mayBuy: boolean; spendableCents: number | null }) {
  const { data } = useDomainDetails('acme.com');
  return data && <RestoreNotice details={data} mayBuy={mayBuy} spendableCents={spendableCents} />;
}
/** Who looks at it: with a balance, before it is known, and without the right to buy. */
const people = {
  buyer: () => <Shown mayBuy spendableCents={10_005} />,
  early: () => <Shown mayBuy spendableCents={null} />,
  poor: () => <Shown mayBuy spendableCents={5_000} />,
  reader: () => <Shown mayBuy={false} spendableCents={null} />,
};

const until = '2026-12-20T12:00:00Z';
const prices = 'POST /cart/prices';
const restore = 'POST /domain/restore';
const line = { address: 'acme.com', kind: 'redemption', price: 89.95, premium: false };

const none = { success: [], fail: [] };
const resultOf = (renewals: object, pending: object[] = []) => ({
  ...{ orderId: uuid(41), domains: none, transfers: none, certificates: none },
  ...{ renewals: { ...none, ...renewals }, pending },
});
const done = resultOf({ success: [{ domain: 'acme.com', price: 89.95 }] });
const declined = resultOf({ fail: [{ domain: 'acme.com', price: 89.95, error: 'The registry says no.' }] });
const running = resultOf({ fail: [{ domain: 'acme.com', price: 89.95, error: 'Still being confirmed.' }] }, [
  { domain: 'acme.com', kind: 'redemption', itemId: uuid(42) },
]);

async function open(answers: Answers = {}, who: keyof typeof people = 'buyer') {
  const now: Partial<ShownDomain> = { restorable_until: until, status: 'ended' };
  const opened = await openScreen(people[who], {
    answers: {
      'GET /domain/details/:domain': readingOf(() => now),
      [prices]: [line],
      [restore]: () => {
        Object.assign(now, { restorable_until: null, status: 'active' });
        return done;
      },
      ...answers,
    },
  });
  return { ...opened, now };
}

const dialog = () => screen.queryByRole('dialog', { name: 'Restore acme.com?' });
const button = (name: string) =>
  within(dialog() ?? document.body).getByRole<HTMLButtonElement>('button', { name });
const offer = 'Restore for $89.95';
/** The offer, and the yes to it. */
async function buy({ user }: Opened) {
  await user.click(button(offer));
  await user.click(button(offer));
}
const orders = ({ sent }: Opened) => sent(restore).map(({ body }) => body);
const keys = ({ sent }: Opened) => sent(restore).map(({ key }) => key);

test('a restoration says what it costs and what is left, and nothing is ordered before the yes', async () => {
  const opened = await open();
  expect(opened.sent(prices).map(({ body }) => body)).toEqual([
    [{ address: 'acme.com', period: 1, kind: 'redemption' }],
  ]);
  expect(screen.getByRole('status').textContent).toContain('acme.com was deleted at the registry');
  expect(screen.getByRole('status').textContent).toContain('It can be restored until Dec 20, 2026');
  await opened.user.click(button(offer));
  const said = dialog()?.textContent;
  expect(said).toContain("The price is the registry's fee and one more year: $89.95.");
  expect(said).toContain('This charge cannot be refunded.');
  expect(said).toContain('Your balance afterwards: $10.10');
  await opened.user.click(button('Cancel'));
  expect(dialog()).toBeNull();
  expect(orders(opened)).toEqual([]);
});

test('the price that was shown is what is ordered, of this domain; then it is told as restored', async () => {
  const opened = await open();
  await buy(opened);
  expect(orders(opened)).toEqual([{ domain: 'acme.com', price: 89.95 }]);
  expect(keys(opened)[0]).toMatch(/^[\w-]{20,}$/);
  expect(dialog()).toBeNull();
  // The domain was read again: what is left is the news, without an offer.
  expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toEqual([
    'acme.com is restored. It can take up to a day to work everywhere.',
  ]);
  expect(screen.queryByRole('button')).toBeNull();
});

test.each([
  ['early', null],
  ['poor', 'Your balance afterwards: −$39.95'],
] as const)(
  'a balance that is not known is not made up, and one that is too low shows: %s',
  async (who, said) => {
    const { user } = await open({}, who);
    await user.click(button(offer));
    expect(screen.queryByText(/^Your balance afterwards/)?.textContent ?? null).toBe(said);
  },
);

test.each([
  ['declined', declined, 'The registry says no.', false],
  ['not known yet', running, 'Still being confirmed.', true],
])('a restoration that is %s says so beside the offer', async (_is, answer, text, held) => {
  const opened = await open({ [restore]: answer });
  await buy(opened);
  expect(dialog()).toBeNull();
  expect(screen.getAllByRole('status').at(-1)?.textContent).toBe(text);
  // What still runs is not ordered once more; what came to nothing may be.
  expect(button(offer).disabled).toBe(held);
  if (held) return;
  await buy(opened);
  expect(orders(opened)).toHaveLength(2);
  expect(new Set(keys(opened)).size).toBe(2);
});

describe('an order', () => {
  test.each([
    [
      'a refusal',
      refused(402, 'insufficient_funds', { message: 'Too little money.' }),
      'Too little money.',
      2,
    ],
    ['a new price', refused(409, 'price_changed', { message: 'Prices have changed.' }), 'Prices have cha', 2],
    ['silence', silence, 'Something went wrong', 1],
    ['a fault', refused(502, 'upstream_unavailable', { message: 'No answer.' }), 'No answer.', 1],
    ['one under way', refused(409, 'in_progress', { message: 'Being processed.' }), 'Being proc', 1],
  ])('after %s stays open, says why, and is another one only where nothing was bought', async (...given) => {
    const [, answer, text, different] = given;
    const opened = await open({ [restore]: answer });
    await buy(opened);
    expect(within(dialog() as HTMLElement).getByRole('alert').textContent).toContain(text);
    await opened.user.click(button(offer));
    expect(orders(opened)).toHaveLength(2);
    expect(new Set(keys(opened)).size).toBe(different);
  });

  test('after silence keeps its key, when the question was left and the price has changed, too', async () => {
    const opened = await open({ [restore]: silence });
    await buy(opened);
    opened.answer(prices, [{ ...line, price: 95 }]);
    await opened.user.click(button(offer));
    await opened.user.click(button('Cancel'));
    await opened.user.click(button('Restore for $95.00'));
    await opened.user.click(button('Restore for $95.00'));
    expect(orders(opened).map((body) => (body as { price: number }).price)).toEqual([89.95, 89.95, 95]);
    expect(new Set(keys(opened)).size).toBe(1);
  });

  test('cannot be made twice or left while it runs', async () => {
    const answer = new Held();
    const opened = await open({ [restore]: answer });
    await buy(opened);
    for (const name of ['Restoring...', 'Cancel']) {
      expect(button(name).disabled).toBe(true);
      await opened.user.click(button(name));
    }
    await opened.user.keyboard('{Escape}');
    expect(dialog()).not.toBeNull();
    answer.give(declined);
    await opened.settled();
    expect(orders(opened)).toHaveLength(1);
  });
});

test.each([
  ['failed', refused(502, 'upstream_unavailable', { message: 'No price from there.' })],
  ['was not answered', silence],
])('without a price nothing is offered but to read it again: %s', async (_how, answer) => {
  const opened = await open({ [prices]: answer });
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Try again']);
  opened.answer(prices, [line]);
  await opened.user.click(button('Try again'));
  expect(button(offer).disabled).toBe(false);
});

test('those who may not buy read until when it can be had back, and no price', async () => {
  const { sent } = await open({}, 'reader');
  expect(screen.getByRole('status').textContent).toContain('It can be restored until Dec 20, 2026');
  expect(screen.queryByRole('button')).toBeNull();
  expect(sent(prices)).toEqual([]);
});

test('a domain that was not deleted has no notice, and its price is not asked for', async () => {
  const { sent } = await open({
    'GET /domain/details/:domain': readingOf(() => ({ restorable_until: null })),
  });
  expect(screen.queryByRole('status')).toBeNull();
  expect(sent(prices)).toEqual([]);
});
