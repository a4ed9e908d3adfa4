import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import type { PurchaseResult } from '../../src/contracts/operations/orders.ts';
import { inspect, noAxeFindings } from './support/inspect.ts';
import { api, balanceOf, enter, type Msp, openMsp } from './support/msp.ts';
import { freshName } from './support/person.ts';
import { newOperator } from './support/portal.ts';
import { control } from './support/sandbox.ts';

/** A name is one person's; a worker that comes back to this file begins with another. */
let operatorName = '';
let operatorKey = '';
test.beforeAll(async () => {
  operatorName = `Ada ${randomBytes(3).toString('hex')}`;
  operatorKey = await newOperator(operatorName);
});

async function enterAsOperator(page: Page, path = '/operator', key = operatorKey): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Operator key').fill(key);
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page.getByRole('tab', { name: 'Queue' })).toBeVisible();
}

/** The command line, as the operator types it. */
async function command(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/operator.ts', ...args], {
    env: { ...process.env, OPERATOR_KEY: operatorKey, PUBLIC_URL: process.env.E2E_URL },
  });
  return stdout;
}

test('the door opens for the operator’s key alone, and a reload closes it', async ({ page }) => {
  const msp = await openMsp({ paid: false });
  await page.goto('/operator');
  await expect(page.getByRole('heading', { level: 1, name: 'Operator' })).toBeVisible();
  await noAxeFindings(page);
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page.getByText('This field is required')).toBeVisible();
  for (const wrong of ['wrong key', 'wrong-key-of-some-length-1234', msp.token]) {
    await page.getByLabel('Operator key').fill(wrong);
    await page.getByRole('button', { name: 'Enter' }).click();
    await expect(page.getByText('This key was not accepted.')).toBeVisible();
  }
  await enterAsOperator(page);
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByLabel('Operator key')).toBeVisible();
  await enterAsOperator(page);
  await page.reload();
  await expect(page.getByLabel('Operator key')).toBeVisible();
});

async function buy(msp: Msp, address: string): Promise<PurchaseResult> {
  const [price] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [{ address, period: 1 }]);
  const domains = [{ address, customerId: msp.customers[0]?.customerId, period: 1 }];
  return api(msp.token, 'POST', 'cart/purchase', { domains, price: price?.price });
}

test('what needs a person is in the queue with its age; trying again asks and says what came of it', async ({
  page,
}) => {
  const msp = await openMsp({ customers: ['Blue Fig Ltd'] });
  const name = freshName('review');
  const { orderId } = await buy(msp, name);
  // The sandbox answers clearly, so the screens are shown an outcome that nobody knows (features/orders/engine.db.test.ts).
  await page.route(`**/api/order/${orderId}`, async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: { items: { state: string }[] } };
    const items = data.items.map((item) => ({ ...item, state: 'review' }));
    await route.fulfill({ json: { data: { ...data, state: 'running', items } } });
  });
  await enter(page, msp, `/orders/${orderId}`);
  await expect(page.getByText('Under review')).toBeVisible();
  await expect(page.getByText('Funds stay reserved; you are charged only if it succeeded.')).toBeVisible();
  await expect(page.getByText('You do not need to do anything.')).toBeVisible();
  await noAxeFindings(page);

  const since = new Date(Date.now() - 300_000).toISOString();
  const entry = {
    ...{ kind: 'review', id: '0195c1c2-0000-7000-8000-000000000005', organization: 'Blue Fig MSP' },
    ...{ organizationId: null, subject: `domain ${name}`, note: 'Two orders carry the tag.', amount: 1_299 },
    ...{ orderId: null, registrarOrderId: null, since, ageSeconds: 300, retry: true },
  };
  await page.route('**/api/operator/queue', (route) => route.fulfill({ json: { data: [entry] } }));
  const message = 'The registrar’s answer has not changed. The money stays reserved.';
  await page.route(`**/api/operator/queue/review/${entry.id}/retry`, (route) =>
    route.fulfill({ json: { data: { message } } }),
  );
  await enterAsOperator(page);
  const row = page.getByRole('table', { name: 'Queue' }).getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('In review');
  await expect(row).toContainText('Blue Fig MSP');
  await expect(row).toContainText('Two orders carry the tag.');
  await expect(row).toContainText(/\d min/);
  await noAxeFindings(page);
  await row.getByRole('button', { name: `Try again: domain ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Try again' });
  await expect(dialog).toContainText('Nothing is ordered again');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(message)).toBeVisible();
  await expect(command('retry', 'review', entry.id)).rejects.toThrow(/no longer in the queue/);
});

test('a name that another organization still lists is not ordered; when the operator has ended what has left, it can be bought', async ({
  page,
}) => {
  const [former, msp] = [
    await openMsp({ customers: ['Red Fig Ltd'] }),
    await openMsp({ customers: ['Blue Fig Ltd'] }),
  ];
  const name = freshName('contested');
  await buy(former, name);
  const before = await balanceOf(msp.token);
  // The first one's name leaves unnoticed.
  await control('registrar', 'transfers/away', { domain: name });
  await control('registrar', 'transfers/advance', { domain: name, steps: 3 });
  await control('registrar', 'outside-world', { domain: name, remove: true });
  const refused = await buy(msp, name);
  expect(refused.domains.fail).toMatchObject([
    { error: `${name} cannot be ordered here at present. Please ask the portal’s support.` },
  ]);
  expect(await balanceOf(msp.token)).toBe(before);

  await expect.poll(() => command('queue')).toContain(name);
  // Its people see the same in their lists, and on the page of the domain.
  await enter(page, former, '/domain');
  const listed = page.getByRole('row').filter({ hasText: name });
  await expect(listed).toContainText('No longer in your account');
  await page.goto(`/customers/${former.customers[0]?.customerId}/domains`);
  await expect(listed).toContainText('No longer in your account');
  await page.goto(`/domain/${name}`);
  await expect(page.getByRole('main')).toContainText('No longer in your account');

  await enterAsOperator(page);
  const row = page.getByRole('table', { name: 'Queue' }).getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Missing domain');
  await expect(row).toContainText(former.person.organization);
  await row.getByRole('button', { name: `End domain: ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: 'End domain' });
  await expect(dialog).toContainText('The portal asks the registrar once more.');
  await dialog.getByRole('button', { name: 'End domain' }).click();
  await expect(dialog.getByText('Please give a short reason')).toBeVisible();
  await dialog.getByLabel('Reason').fill('Transferred away');
  await noAxeFindings(page);
  await dialog.getByRole('button', { name: 'End domain' }).click();
  await expect(
    page.getByText(`${name} is no longer listed for ${former.person.organization}.`),
  ).toBeVisible();
  await expect(row).toHaveCount(0);

  const bought = await buy(msp, name);
  expect(bought.domains.success).toMatchObject([{ domain: name }]);
  expect(await balanceOf(msp.token)).toBeLessThan(before);
});

test('prices change as a new version, at once or later, with the margin in view', async ({ page }) => {
  await enterAsOperator(page, '/operator/prices');
  const field = page.getByLabel('Price of .com, Transfer');
  await expect(field).toBeVisible();
  await noAxeFindings(page);
  await field.fill('12,5');
  await expect(page.getByText('An amount such as 12.50')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Save/ })).toBeDisabled();
  await field.fill('55.50');
  await page.getByLabel('Note').fill('from the browser');
  await page.getByLabel('Effective from').fill('2020-01-01T00:00');
  await page.getByRole('button', { name: 'Save 1 changed price' }).click();
  await page
    .getByRole('dialog', { name: 'New prices' })
    .getByRole('button', { name: 'Save', exact: true })
    .click();
  await expect(page.getByText('Please choose a time that is not in the past')).toBeVisible();
  await expect(field).toHaveValue('55.50');
  await page.getByLabel('Effective from').fill('2099-01-01T00:00');
  await page.getByRole('button', { name: 'Save 1 changed price' }).click();
  await page
    .getByRole('dialog', { name: 'New prices' })
    .getByRole('button', { name: 'Save', exact: true })
    .click();
  await expect(page.getByText(/^Version \d+ has been saved\.$/)).toBeVisible();
  const row = page.getByRole('table', { name: 'Price list' }).getByRole('row').filter({ has: field });
  await expect(row).toContainText('$55.50 from');
  await expect(page.getByRole('table', { name: 'Versions' })).toContainText('from the browser');
  expect(await command('prices')).toMatch(/domain\s+com\s+transfer/);
});

test('registrar, ledger and payments are compared when asked, by screen and by command', async ({ page }) => {
  await enterAsOperator(page, '/operator/reconciliation');
  await page.getByRole('button', { name: 'Compare now' }).click();
  await expect(page.getByRole('table', { name: 'Comparisons' }).getByRole('row').nth(1)).toContainText(
    'omplete',
  );
  await noAxeFindings(page);
  expect(JSON.parse(await command('status', '--json'))).toHaveProperty('reconciledSecondsAgo');
});

test('the account at the registrar is shown with what has to be paid from it, and running low is said', async ({
  page,
}) => {
  await page.route('**/api/operator/registrar', async (route) => {
    const reply = await route.fetch();
    const { data } = (await reply.json()) as { data: { readAt: string | null; threshold: number } };
    expect(data.readAt).not.toBeNull();
    const low = { balance: 412_00, held: 10_00, open: 30_00, available: 372_00, level: 'low' };
    await route.fulfill({ json: { data: { ...data, ...low } } });
  });
  await enterAsOperator(page);
  const account = page.getByRole('region', { name: 'Account at the registrar' });
  await expect(account).toContainText('The account at the registrar is running low');
  await expect(account).toContainText('Less than $500.00 is left for further orders.');
  for (const text of ['Left for orders', '$372.00', '$412.00', '$10.00', 'Orders under way', '$30.00']) {
    await expect(account.getByText(text, { exact: true })).toBeVisible();
  }
  await noAxeFindings(page);
});

test('a large correction waits until a second operator confirms it, and every act shows who did it', async ({
  page,
}) => {
  const msp = await openMsp({ paid: true });
  const { organizationId, organization } = await api<{ organizationId: string; organization: string }>(
    msp.token,
    'GET',
    'user',
  );
  const before = await balanceOf(msp.token);
  const reference = `refund-${randomBytes(3).toString('hex')}`;
  const said = await command('correct', organizationId, organization, '2500', reference, 'A large refund');
  expect(said).toContain('Another operator must confirm it');
  await enterAsOperator(page, '/operator/corrections');
  const row = page.getByRole('row', { name: new RegExp(reference) });
  await expect(row).toContainText('Waiting for a second person');
  await expect(row).toContainText('+$2,500.00');
  // The one who asked may take it back, and no more.
  await expect(row.getByRole('button', { name: `Withdraw ${reference}` })).toBeVisible();
  await expect(row.getByRole('button', { name: `Confirm ${reference}` })).toHaveCount(0);
  await inspect(page, 'corrections');

  const second = `Ben ${randomBytes(3).toString('hex')}`;
  await enterAsOperator(page, '/operator/corrections', await newOperator(second));
  await expect(page.getByText(second, { exact: true })).toBeVisible();
  await row.getByRole('button', { name: `Confirm ${reference}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm correction' });
  await expect(dialog.getByText('A large refund')).toBeVisible();
  await dialog.getByRole('button', { name: 'Confirm correction' }).click();
  await expect(page.getByText('The correction was entered.')).toBeVisible();
  await expect(row).toContainText(`${operatorName}, ${second}`);
  expect(await balanceOf(msp.token)).toBe(before + 250_000);

  await page.getByRole('tab', { name: 'Who did what' }).click();
  const act = page.getByRole('row', { name: /Confirmed a correction/ }).first();
  await expect(act).toContainText(second);
  await expect(act).toContainText('Done');
  await inspect(page, 'operator activity');
});

/** A recovery holds the whole portal, so the screen is shown one that the other tests do not feel (tests/faults/recovery.test.ts). */
test('a recovery shows how far it is, and waits for the decisions that only a person can make', async ({
  page,
}) => {
  const finding = {
    ...{ kind: 'order-without-price', subject: '0195c1c2-0000-7000-8000-000000000001', organizationId: null },
    ...{ text: 'The order of lost.com has no price in its tag.', needsPerson: true },
    settledAt: null as string | null,
  };
  const adopted = {
    ...finding,
    ...{ kind: 'top-up-adopted', text: 'A top-up of $50.00 was written down again.', needsPerson: false },
  };
  const recovery = {
    ...{ id: '0195c1c2-0000-7000-8000-000000000002', reason: 'elsewhere', state: 'running', step: 'names' },
    ...{ done: 1_200, total: 3_000, hindrance: null as string | null, endedAt: null as string | null },
    ...{ since: '2026-11-22T10:00:00.000Z', startedAt: '2026-11-23T10:00:00.000Z' },
  };
  const findings = [
    { ...finding, id: '0195c1c2-0000-7000-8000-000000000003' },
    { ...adopted, id: '0195c1c2-0000-7000-8000-000000000004' },
  ];
  await page.route('**/api/operator/recovery', (route) =>
    route.fulfill({ json: { data: { recovery, findings } } }),
  );
  const settled: string[] = [];
  await page.route('**/api/operator/recovery/findings/*/settle', (route) => {
    settled.push(new URL(route.request().url()).pathname.split('/').at(-2) ?? '');
    for (const one of findings) one.settledAt = '2026-11-23T11:00:00.000Z';
    recovery.state = 'ended';
    return route.fulfill({ json: { data: {} } });
  });
  await enterAsOperator(page);
  await expect(page.getByText('A recovery is running. Until it ends, nothing is sent')).toBeVisible();
  await page.getByRole('button', { name: 'Open recovery' }).click();
  await expect(page.getByText('names: 1,200 of 3,000')).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Progress: names' })).toBeVisible();
  await inspect(page, 'a recovery that is running');

  recovery.state = 'waiting';
  await expect(page.getByText('1 to decide')).toBeVisible();
  await expect(page.getByText('Waits for you')).toBeVisible();
  await page.getByRole('button', { name: 'Decided' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The portal does nothing about it.');
  await inspect(page, 'a decision about what a recovery found');
  await dialog.getByRole('button', { name: 'It is decided' }).click();
  await expect(page.getByText('Ended', { exact: true })).toBeVisible();
  expect(settled).toEqual([findings[0]?.id]);
  await page.getByRole('tab', { name: 'Queue' }).click();
  await expect(page.getByRole('button', { name: 'Open recovery' })).toBeHidden();
});

test('where there was no recovery, its screen says when there is one', async ({ page }) => {
  await enterAsOperator(page, '/operator/recovery');
  await expect(page.getByText('There was no recovery')).toBeVisible();
});
