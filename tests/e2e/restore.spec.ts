import { expect, test } from '@playwright/test';
import { noAxeFindings } from './support/inspect.ts';
import { api, balanceOf, enter, openMsp, topUp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

/** A domain that nobody renewed, deleted at the registry; the portal has noticed it. */
async function deleted(word: string) {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName(word);
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  await control('registrar', 'domains/dates', [{ domain: name, expiresInDays: -20 }]);
  return { msp, name };
}

test('a deleted domain says until when it can be restored, and is restored for the price that was confirmed', async ({
  page,
}) => {
  const { msp, name } = await deleted('bygone');
  await enter(page, msp, `/domain/${name}`);
  await expect(
    page.getByRole('list', { name: 'State' }).getByText(/^Expired (20|21) days ago$/),
  ).toBeVisible();
  await control('registrar', 'domains/dates', [{ domain: name, expiresInDays: -41 }]);
  await control('registrar', 'state');
  // The registrar's event is polled every minute.
  const notice = page.getByRole('status').filter({ hasText: `${name} was deleted at the registry` });
  const until = async () => {
    const details = await api<{ restorable_until: string | null }>(
      msp.token,
      'GET',
      `domain/details/${name}`,
    );
    return details.restorable_until;
  };
  await expect.poll(until, { intervals: [1_000] }).not.toBeNull();
  await page.goto(`/domain/${name}`);
  await expect(notice).toBeVisible();
  await expect(notice).toContainText('It can be restored until');
  // The fee of $80.00 and a year of $10.26, with the portal's 20 %.
  const button = notice.getByRole('button', { name: 'Restore for $108.31' });
  await expect(button).toBeVisible();
  await expect(page.getByRole('button', { name: 'Renew', exact: true })).toHaveCount(0);
  await noAxeFindings(page);
  await button.click();
  const dialog = page.getByRole('dialog', { name: `Restore ${name}?` });
  await expect(dialog).toContainText('Your balance afterwards: −$20.62');
  await dialog.getByRole('button', { name: 'Restore for $108.31' }).click();
  await expect(dialog.getByRole('alert')).toContainText("You don't have enough funds");
  expect(await balanceOf(msp.token)).toBe(87_69);

  await topUp(msp.token, 50);
  await dialog.getByRole('button', { name: 'Restore for $108.31' }).click();
  await expect(page.getByRole('status').filter({ hasText: `${name} is restored.` })).toBeVisible();
  await expect(notice).toHaveCount(0);
  expect(await balanceOf(msp.token)).toBe(29_38);
  const { orders } = await control<{ orders: { domain: string; regType: string; status: string }[] }>(
    'registrar',
    'state',
  );
  const redeemed = orders.filter(({ domain, regType }) => domain === name && regType === 'redeem');
  expect(redeemed.map(({ status }) => status)).toEqual(['completed']);
});
