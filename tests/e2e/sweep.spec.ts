import { expect, test } from '@playwright/test';
import { sweep } from '../support/sweep.ts';
import { enter, openCart, openMsp } from './support/msp.ts';
import { own } from './support/orders.ts';
import { freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

test('nothing collapses at any width from 320 to 2560 px: no word is broken, no figure is cut, no page sticks out', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Anchor Property Management and Relocation Services Ltd'] });
  const names = [
    freshName('soon'),
    freshName('anchorpropertymanagement-relocation-services'),
    freshName('x'),
  ];
  await own(msp, names, msp.customers[0]?.customerId ?? '');
  await control('registrar', 'domains/dates', [{ domain: names[0], ageDays: 300, expiresInDays: 5 }]);
  await enter(page, msp, `/domain/${names[0]}`);
  const life = page.getByRole('region', { name: 'Life of this domain' });
  await expect(life.getByText(/^Expires in [45] days$/)).toBeVisible();
  const found: Record<string, string[]> = {};
  for (const path of [
    ...['/', '/domain/list', `/domain/${names[0]}`, '/domain/renewals', '/customers', '/orders'],
    ...['/account', '/account/statement', '/audit', '/changes/new', '/domains/list', '/attention'],
  ]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    found[path] = await sweep(page);
  }
  // The widest letters, so that what fits does not depend on which figures a fresh name happens to have.
  await openCart(page, msp, [freshName('anchorpropertymanagement'), freshName('y'), 'w-mmwwmmww.com']);
  await page.waitForLoadState('networkidle');
  found['/cart'] = await sweep(page);
  expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
});
