import { expect, type Page, test } from '@playwright/test';
import { inspect } from './support/inspect.ts';
import { addMember, api, enterAs, newAccount, openMsp, withOldSignIn } from './support/msp.ts';
import { fillSignIn, newPerson, type Person, password } from './support/person.ts';
import { control } from './support/sandbox.ts';

interface Letter {
  subject: string;
  links: string[];
}

/** The newest invitation link that was mailed to this address. */
async function mailedLink(email: string, other = ''): Promise<string> {
  let link = '';
  await expect(async () => {
    const letters = await control<Letter[]>('mail', 'messages', { to: email });
    const links = letters.flatMap((letter) => letter.links).filter((address) => address.includes('/invite/'));
    link = links.find((address) => address !== other) ?? '';
    expect(link).not.toBe('');
  }).toPass();
  return link;
}

const menu = (page: Page, name: string) =>
  page.locator('#side-navigation').getByRole('link', { name, exact: true });

test('an employee is invited by mail, accepts, works, and is out in every tab with the next request when removed', async ({
  page,
  browser,
}) => {
  const msp = await openMsp();
  const { person: guest } = await newAccount();
  await enterAs(page, msp.person, '/users');
  await expect(page.getByRole('heading', { name: 'Your current users' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your invites' })).toBeVisible();
  await expect(page.getByText('No invites found')).toBeVisible();
  const columns = (table: string) =>
    page.getByRole('table', { name: table }).getByRole('columnheader').allInnerTexts();
  expect(await columns('Your current users')).toEqual([
    ...['Organization', 'Email', 'Type', 'Personal data', 'Delete'],
  ]);
  await page.getByRole('button', { name: 'Invite User' }).click();
  await page.getByLabel('Email').fill(guest.email);
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByRole('cell', { name: `${guest.email} until` })).toBeVisible();
  expect(await columns('Your invites')).toEqual(['Email', 'Type', 'Link', 'Delete']);

  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(await mailedLink(guest.email));
  await expect(other.getByText(/Please create an account, or sign in, with the email address/)).toBeVisible();
  await expect(other.getByRole('button', { name: 'Create Account' })).toBeVisible();
  await inspect(other, 'invitation');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByLabel('Email').fill(guest.email);
  await other.getByLabel('Password', { exact: true }).fill(password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  const status = other.getByRole('dialog', { name: 'Invite Status' });
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeFocused();
  await expect(status.getByText(`Join ${msp.person.organization} as Employee?`)).toBeVisible();
  await inspect(other, 'invite status');
  await status.getByRole('button', { name: 'Confirm' }).click();
  await expect(other).toHaveURL(/\/$/);
  // An employee has no users tile (P2 §2).
  const tiles = other.getByRole('main');
  await expect(tiles.getByRole('link', { name: /^Customers / })).toBeVisible();
  await expect(tiles.getByRole('link', { name: /^Users / })).toHaveCount(0);
  const second = await context.newPage();
  await second.goto('/orders');
  await expect(second.getByRole('heading', { name: 'Orders' })).toBeVisible();

  await page.reload();
  const removed: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'DELETE') removed.push(new URL(request.url()).pathname);
  });
  await page.getByRole('button', { name: `Remove ${guest.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm Removal of user' });
  await expect(
    dialog.getByText(`Please confirm the deletion of user ${guest.email} this cannot be undone`),
  ).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toBeVisible();
  await page.getByRole('button', { name: `Remove ${guest.email}` }).click();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('cell', { name: guest.email, exact: true })).toHaveCount(0);
  // By email address on the screen, by its id in the call (decisions no. 21).
  expect(removed).toEqual([expect.stringMatching(/^\/api\/user\/subuser\/[0-9a-f-]{36}$/)]);
  // Neither tab is reloaded: a click asks the server for something, and that is the end.
  for (const tab of [other, second]) {
    await menu(tab, 'Customers').click();
    await expect(tab.getByRole('heading', { name: /^Welcome to/ })).toBeVisible();
  }
  await context.close();
});

test('the invite form says what is missing and keeps what was typed; invitations are sent again, copied and cancelled', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const guest = newPerson();
  const member = await addMember(msp, 'MSP_EMPLOYEE');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await enterAs(page, msp.person, '/users');
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByRole('heading', { name: 'Add new user' })).toBeVisible();
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByText('This field is required')).toBeVisible();
  await page.getByLabel('Email').fill('nobody');
  await page.getByLabel('Email').blur();
  await expect(page.getByText('Please enter a valid email address')).toBeVisible();
  // What the server says stands under the form.
  await page.getByLabel('Email').fill(member.person.email);
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByText(`${member.person.email} is already a user.`)).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue(member.person.email);
  await page.getByLabel('Email').fill(guest.email);
  await expect(page.getByRole('combobox', { name: 'Type' })).toHaveValue('Employee');
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Customer' }).click();
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByText('Please choose the customer')).toBeVisible();
  await page.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Blue Fig Ltd' }).click();
  await inspect(page, 'add new user');
  await page.getByRole('button', { name: 'Invite User' }).click();
  const invites = page.getByRole('table', { name: 'Your invites' });
  await expect(invites.getByRole('row', { name: new RegExp(guest.email) })).toContainText('Customer');
  await inspect(page, 'users');

  const copy = page.getByRole('button', { name: `Copy the invitation link of ${guest.email}` });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  // The link is asked for when it is copied, and stands on no screen.
  await copy.click();
  await expect(page.getByText('The link has been copied.')).toBeVisible();
  const first = await copied();
  expect(await page.content()).not.toContain(first.split('/').at(-1));
  expect(first).toContain('/invite/');
  await page.getByRole('button', { name: `Send the invitation to ${guest.email} again` }).click();
  await expect(page.getByText('The invitation was sent again.')).toBeVisible();
  const again = await mailedLink(guest.email, first);
  await expect(async () => {
    await copy.click();
    expect(await copied()).toBe(again);
  }).toPass();

  await page.getByRole('button', { name: 'Invite User' }).click();
  await page.getByLabel('Email').fill(guest.email);
  await page.getByRole('button', { name: 'Invite User' }).click();
  await expect(page.getByText(`${guest.email} has already been invited.`)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', '/users');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Add new user' })).toHaveCount(0);
  const cancelling = page.waitForRequest((request) => request.method() === 'DELETE');
  await page.getByRole('button', { name: `Cancel the invitation of ${guest.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm Removal of user' });
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  expect((await cancelling).url()).toMatch(/\/api\/user\/subuser\/invite\/[0-9a-f-]{36}$/);
  await expect(page.getByText('No invites found')).toBeVisible();
});

test('an invitation that cannot be accepted says why, and leads nowhere', async ({ page }) => {
  const msp = await openMsp();
  const invited = newPerson();
  const { link } = await api<{ link: string }>(msp.token, 'POST', 'user/subuser', { email: invited.email });
  const { person } = await newAccount();
  await page.goto(link);
  // A visitor without an account is shown how to create one (P2 §2).
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await fillSignIn(page, person);
  const status = page.getByRole('dialog', { name: 'Invite Status' });
  await expect(status.getByText(/was sent to another email address/)).toBeVisible();
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeDisabled();
  await page.goto(`${link.slice(0, -4)}none`);
  await expect(status.getByText('This invitation does not exist.')).toBeVisible();
  await status.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/(onboarding\/1)?$/);
});

test('an invitation waits until its address is verified, and says so', async ({ page }) => {
  const msp = await openMsp();
  const { person } = await newAccount();
  const verified = (yes: boolean) => control('identity', 'verify', { email: person.email, verified: yes });
  await verified(false);
  const { link } = await api<{ link: string }>(msp.token, 'POST', 'user/subuser', { email: person.email });
  await openInvite(page, person, link);
  const status = page.getByRole('dialog', { name: 'Invite Status' });
  const text = 'Please verify your email address first. Then open this invitation again.';
  await expect(status.getByText(text)).toBeVisible();
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeDisabled();
  await inspect(page, 'invitation of an unverified address');
  // The text is no promise of the screen alone; the empty profile stays, and is in nobody's way later.
  const { token } = await control<{ token: string }>('identity', 'tokens/mint', { email: person.email });
  await api(token, 'POST', 'user/subuser/create');
  const accept = api(token, 'POST', `user/subuser/acceptinvite/${link.split('/').at(-1)}`);
  await expect(accept).rejects.toThrow(`422`);
  await verified(true);
  const context = page.context();
  await context.clearCookies();
  await page.evaluate(() => sessionStorage.clear());
  await openInvite(page, person, link);
  await status.getByRole('button', { name: 'Confirm' }).click();
  await expect(page).toHaveURL(/\/$/);
});

test('empty tables and an expired invitation are told as such', async ({ page }) => {
  const msp = await openMsp();
  const { email } = newPerson();
  await api(msp.token, 'POST', 'user/subuser', { email });
  await page.route('**/api/user/users*', (route) => route.fulfill({ json: { data: [] } }));
  await page.route('**/api/user/invites*', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { data: object[] };
    await route.fulfill({ json: { data: body.data.map((row) => ({ ...row, expired: true })) } });
  });
  await enterAs(page, msp.person, '/users');
  await expect(page.getByText('No users found')).toBeVisible();
  await expect(page.getByRole('cell', { name: `${email} (expired)` })).toBeVisible();
});

test('an administrator names the first owner after a fresh sign-in; a changed type shows in the person’s menus with the next request', async ({
  page,
  browser,
}) => {
  const msp = await openMsp();
  const member = await addMember(msp, 'MSP_EMPLOYEE');
  const context = await browser.newContext();
  const other = await context.newPage();
  await enterAs(other, member.person, '/orders');
  await expect(menu(other, 'Users')).toHaveCount(0);
  await enterAs(page, msp.person, '/users');
  await page.getByRole('button', { name: `Change ${member.person.email}` }).click();
  const dialog = page.getByRole('dialog', { name: `Change ${member.person.email}` });
  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await expect(page.getByRole('option')).toHaveText(['Owner', 'Employee', 'Customer']);
  await page.getByRole('option', { name: 'Owner' }).click();
  await inspect(page, 'change of a user');

  const undo = await withOldSignIn(page, msp.person, '**/api/user/subuser/*');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog.getByText('For your safety, please sign in again to change the owner.')).toBeVisible();
  await undo();
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await fillSignIn(page, msp.person);
  await expect(dialog.getByRole('combobox', { name: 'Type' })).toHaveValue('Owner');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('row', { name: new RegExp(member.person.email) })).toContainText('Owner');
  // Users cannot change someone who outranks them.
  await expect(page.getByRole('button', { name: `Remove ${member.person.email}` })).toHaveCount(0);

  await menu(other, 'Customers').click();
  await menu(other, 'Users').click();
  await other.getByRole('button', { name: `Change ${msp.person.email}` }).click();
  const mine = other.getByRole('dialog', { name: `Change ${msp.person.email}` });
  await mine.getByRole('combobox', { name: 'Type' }).click();
  await other.getByRole('option', { name: 'Employee' }).click();
  await mine.getByLabel('Daily limit').fill('much');
  await mine.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(mine.getByText('Please enter an amount such as 250.00')).toBeVisible();
  await mine.getByLabel('Daily limit').fill('250');
  await mine.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(mine).toHaveCount(0);
  await menu(page, 'Orders').click();
  await expect(menu(page, 'Users')).toHaveCount(0);
  await context.close();
});

test('removing an owner asks for a fresh sign-in, in the dialog and nowhere else', async ({ page }) => {
  const msp = await openMsp();
  const first = await addMember(msp, 'MSP_OWNER');
  const second = await addMember(msp, 'MSP_EMPLOYEE');
  await api(first.token, 'PATCH', `user/subuser/${second.userId}`, { type: 'MSP_OWNER' });
  await enterAs(page, first.person, '/users');
  const undo = await withOldSignIn(page, first.person, '**/api/user/subuser/*');
  await page.getByRole('button', { name: `Remove ${second.person.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm Removal of user' });
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('For your safety, please sign in again to remove an owner.')).toBeVisible();
  await inspect(page, 'removal of an owner with an old sign-in');
  await undo();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: `Remove ${second.person.email}` }).click();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('row', { name: new RegExp(second.person.email) })).toHaveCount(0);
});

test('an invitation that was used or cancelled says so, and what to do', async ({ page, browser }) => {
  const msp = await openMsp();
  const invitedAs = async (email: string) =>
    api<{ inviteId: string; link: string }>(msp.token, 'POST', 'user/subuser', { email });
  const cancelled = await newAccount();
  const first = await invitedAs(cancelled.person.email);
  await api(msp.token, 'DELETE', `user/subuser/invite/${first.inviteId}`);
  await openInvite(page, cancelled.person, first.link);
  const status = page.getByRole('dialog', { name: 'Invite Status' });
  await expect(status.getByText('This invitation was cancelled. Please ask for a new one.')).toBeVisible();
  await expect(status.getByRole('button', { name: 'Confirm' })).toBeDisabled();

  const context = await browser.newContext();
  const other = await context.newPage();
  const accepting = await newAccount();
  const second = await invitedAs(accepting.person.email);
  await openInvite(other, accepting.person, second.link);
  const dialog = other.getByRole('dialog', { name: 'Invite Status' });
  // The dialog stays until the acceptance has ended, and tells of a failure.
  const answer = Promise.withResolvers<void>();
  const message = 'The invitation could not be accepted.';
  await other.route('**/acceptinvite/*', async (route) => {
    await answer.promise;
    await route.fulfill({ status: 422, json: { message, code: 'unprocessable', requestId: 'r' } });
  });
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByRole('button', { name: 'Accepting...' })).toBeDisabled();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await other.keyboard.press('Escape');
  answer.resolve();
  await expect(dialog.getByText(message)).toBeVisible();
  await other.unroute('**/acceptinvite/*');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(other).toHaveURL(/\/$/);
  await other.goto(second.link);
  await expect(dialog.getByText('This invitation has already been used.')).toBeVisible();
  await context.close();
});

/** As a person does who already has an account. The invitation asks them to sign in first. */
async function openInvite(page: Page, person: Person, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await fillSignIn(page, person);
}
