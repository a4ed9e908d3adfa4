import { expect, test, vi } from 'vitest';
import { button, domain, forgetCarts, line } from '../../../../tests/support/cart-screen.tsx';
import { openScreen } from '../../../../tests/support/screen.tsx';
import { Toasts } from '../../ui/toasts.tsx';
import { cart } from './cart.ts';
import { CartLines } from './cart-lines.tsx';
import { useCart } from './use-cart.ts';

forgetCarts();

/** Called with each drawing of a new domain's line. */
const drawn = vi.fn((_item: { address: string }) => 'With a certificate');
const noPrices = new Map();
const customers = [{ value: 'c-ann', label: 'Ann' }];
const nothing = () => null;

function Lines() {
  return (
    <>
      <CartLines
        {...useCart('ann')}
        {...{ customers, prices: noPrices, changed: [], disabled: false, addCustomer: null }}
        {...{ onSharedOwner: cart.shareOwner, remarkOn: nothing, certificateChoices: nothing }}
        addCertificate={drawn}
      />
      <Toasts />
    </>
  );
}

test('an item that leaves, comes back or changes draws no line but its own', async () => {
  const names = ['a.com', 'b.com', 'c.com'];
  localStorage.setItem('nameward.cart.ann', JSON.stringify({ items: names.map((name) => domain(name)) }));
  const { user } = await openScreen(Lines);
  const drawnBy = async (press: HTMLElement) => {
    drawn.mockClear();
    await user.click(press);
    return [...new Set(drawn.mock.calls.map(([{ address }]) => address))];
  };
  expect(await drawnBy(line('b.com').getByLabelText('Privacy'))).toEqual(['b.com']);
  expect(await drawnBy(button('Remove a.com from cart'))).toEqual([]);
  expect(await drawnBy(button('Undo'))).toEqual(['a.com']);
});
