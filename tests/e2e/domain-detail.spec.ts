import { expect, test } from '@playwright/test';
import { enter, type Msp, openMsp, withOldSignIn } from './support/msp.ts';
import { own } from './support/orders.ts';
import { fillSignIn, freshName } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface RegistrarState {
  domains: { domain: string; locked: boolean; autoRenew: boolean }[];
}

async function registered(word: string): Promise<{ msp: Msp; name: string }> {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName(word);
  await own(msp, [name], msp.customers[0]?.customerId ?? '');
  return { msp, name };
}

async function atRegistrar(name: string) {
  const state = await control<RegistrarState>('registrar', 'state');
  return state.domains.find(({ domain }) => domain === name);
}

test('Info: validity, timeline, contacts; a new owner is told of the lock before saving; without the registrar its own copy is shown', async ({
  page,
}) => {
  const { msp, name } = await registered('info');
  await enter(page, msp, `/domain/${name}`);
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['Info', 'Managed DNS', 'Advanced DNS', 'Health']);
  // Whose it is, and its whole state in one line.
  await expect(page.getByRole('list', { name: 'State' }).getByRole('listitem')).toContainText([
    ...['Active', 'Locked', 'Auto renew off', 'Nameward DNS'],
  ]);
  await expect(page.getByRole('main').getByRole('link', { name: 'Blue Fig Ltd' })).toHaveAttribute(
    'href',
    `/customers/${msp.customers[0]?.customerId}`,
  );
  const life = page.getByRole('region', { name: 'Life of this domain' });
  await expect(life.getByText(/^Expires in 36[45] days$/)).toBeVisible();
  await expect(life.getByRole('list', { name: 'Timeline' }).getByRole('listitem')).toContainText([
    'Registered',
    'Can be transferred from',
    'Expires',
    'Normal price until',
    'Can be restored until',
    'Open to anyone from',
  ]);
  const contact = (title: string) => page.getByRole('article', { name: `${title} contact` });
  for (const title of ['Tech', 'Billing', 'Owner', 'Admin']) await expect(contact(title)).toBeVisible();
  await expect(contact('Owner')).toContainText('New York, NY, 10001');

  await page.getByRole('button', { name: 'Change the Owner contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the Owner contact' });
  await dialog.getByLabel('First name').fill('Beth');
  // A click beside the dialog loses nothing.
  await page.mouse.click(5, 5);
  await expect(dialog.getByText('This changes the registrant')).toBeVisible();
  await expect(dialog.getByText(/cannot move to another registrar for 60 days/)).toBeVisible();
  await dialog.getByLabel('Billing', { exact: true }).check();
  await dialog.getByRole('button', { name: 'Save and accept the lock' }).click();
  await expect(dialog).toBeHidden();
  await expect(contact('Owner')).toContainText('Beth Smith');
  await expect(contact('Billing')).toContainText('Beth Smith');
  await expect(contact('Admin')).toContainText('Ann Smith');

  // Its tabs are in the address.
  await page.getByRole('tab', { name: 'Advanced DNS' }).click();
  await expect(page).toHaveURL(/\?tab=advanced$/);
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Info' })).toHaveAttribute('aria-selected', 'true');

  const away = { action: 'GET', object: 'DOMAIN', domain: name, effect: '705', times: 0 };
  await control('registrar', 'faults', away);
  await page.reload();
  await expect(
    page.getByText(/The registrar is not responding\. The portal shows the details that it has as of/),
  ).toBeVisible();
  await expect(life.getByText('Registered')).toBeVisible();
});

test('auto renew and the lock are switched at the registrar; an old sign-in may not unlock nor see the Auth Password: the screen asks to sign in again, and then it may', async ({
  page,
}) => {
  const { msp, name } = await registered('lock');
  await enter(page, msp, `/domain/${name}`);
  const undo = await withOldSignIn(page, msp.person, '**/api/domain/unlock_domain');
  const undoPassword = await withOldSignIn(page, msp.person, `**/api/domain/details/${name}*auth_info*`);
  const section = page.getByRole('region', { name: 'Renewal and lock' });
  await section.getByRole('switch', { name: 'Auto Renew' }).click();
  await expect(section.getByRole('switch', { name: 'Auto Renew' })).toBeChecked();
  await section.getByRole('button', { name: 'Unlock' }).click();
  await expect(page.getByText('For your safety, please sign in again to unlock this domain.')).toBeVisible();
  expect((await atRegistrar(name))?.locked).toBe(true);
  await undo();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(section.getByText('Locked', { exact: true })).toBeVisible();
  await section.getByRole('button', { name: 'Unlock' }).click();
  await expect(section.getByText('Unlocked', { exact: true })).toBeVisible();
  expect((await atRegistrar(name))?.locked).toBe(false);
  await expect(
    page.getByText('For your safety, please sign in again to see the Auth Password.'),
  ).toBeVisible();
  await expect(section.locator('code')).toHaveCount(0);
  await undoPassword();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(section.locator('code')).toHaveText(/\S{6,}/);
  await section.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect(section.getByText('Locked', { exact: true })).toBeVisible();
  await expect(section.locator('code')).toHaveCount(0);
  await expect(section.getByRole('switch', { name: 'Auto Renew' })).toBeChecked();
  // The portal renews: the registrar's own switch stays off (decisions no. 25).
  expect(await atRegistrar(name)).toMatchObject({ locked: true, autoRenew: false });
});
