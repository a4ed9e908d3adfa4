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

async function buy(msp: Msp, address: string): Promise<PurchaseResult> {
  const [price] = await api<{ price: number }[]>(msp.token, 'POST', 'cart/prices', [{ address, period: 1 }]);
  const domains = [{ address, customerId: msp.customers[0]?.customerId, period: 1 }];
  return api(msp.token, 'POST', 'cart/purchase', { domains, price: price?.price });
}

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
  await noAxeFindings(page);
  await row.getByRole('button', { name: `End domain: ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: 'End domain' });
  await expect(dialog).toContainText('The portal asks the registrar once more.');
  await dialog.getByLabel('Reason').fill('Transferred away');
  await dialog.getByRole('button', { name: 'End domain' }).click();
  await expect(
    page.getByText(`${name} is no longer listed for ${former.person.organization}.`),
  ).toBeVisible();
  await expect(row).toHaveCount(0);
  const unknown = '0195c1c2-0000-7000-8000-000000000005';
  await expect(command('retry', 'review', unknown)).rejects.toThrow(/no longer in the queue/);

  const bought = await buy(msp, name);
  expect(bought.domains.success).toMatchObject([{ domain: name }]);
  expect(await balanceOf(msp.token)).toBeLessThan(before);
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
  const said = await command(
    'correct',
    organizationId,
    organization,
    '2500',
    reference,
    'A large refund',
    '--yes',
  );
  expect(said).toContain('Another operator must confirm it');
  // The door opens for an operator's key alone, and a reload closes it.
  await page.goto('/operator/corrections');
  await noAxeFindings(page);
  await page.getByLabel('Operator key').fill(msp.token);
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page.getByText('This key was not accepted.')).toBeVisible();
  await enterAsOperator(page, '/operator/corrections');
  await page.reload();
  await expect(page.getByLabel('Operator key')).toBeVisible();
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
const waitingRecovery = {
  recovery: {
    ...{ id: '0195c1c2-0000-7000-8000-000000000002', reason: 'elsewhere', state: 'waiting', step: 'names' },
    ...{ done: 1_200, total: 3_000, hindrance: null, endedAt: null },
    ...{ since: '2026-11-22T10:00:00.000Z', startedAt: '2026-11-23T10:00:00.000Z' },
  },
  findings: [
    {
      ...{ id: '0195c1c2-0000-7000-8000-000000000003', kind: 'order-without-price', organizationId: null },
      ...{ subject: '0195c1c2-0000-7000-8000-000000000001', needsPerson: true, settledAt: null },
      text: 'The order of lost.com has no price in its tag.',
    },
  ],
};

test('prices change as a new version, registrar, ledger and payments are compared, a recovery waits: by screen and by command', async ({
  page,
}) => {
  await page.route('**/api/operator/recovery', (route) => route.fulfill({ json: { data: waitingRecovery } }));
  await enterAsOperator(page, '/operator/prices');
  const field = page.getByLabel('Price of .com, Transfer');
  await field.fill('55.50');
  await page.getByLabel('Note').fill('from the browser');
  await page.getByLabel('Effective from').fill('2020-01-01T00:00');
  const save = async () => {
    await page.getByRole('button', { name: 'Save 1 changed price' }).click();
    await page
      .getByRole('dialog', { name: 'New prices' })
      .getByRole('button', { name: 'Save', exact: true })
      .click();
  };
  await save();
  await expect(page.getByText('Please choose a time that is not in the past')).toBeVisible();
  await expect(field).toHaveValue('55.50');
  await noAxeFindings(page);
  await page.getByLabel('Effective from').fill('2099-01-01T00:00');
  await save();
  await expect(page.getByText(/^Version \d+ has been saved\.$/)).toBeVisible();
  const row = page.getByRole('table', { name: 'Price list' }).getByRole('row').filter({ has: field });
  await expect(row).toContainText('$55.50 from');
  await expect(page.getByRole('table', { name: 'Versions' })).toContainText('from the browser');
  expect(await command('prices')).toMatch(/domain\s+com\s+transfer/);

  await page.getByRole('tab', { name: 'Reconciliation' }).click();
  await page.getByRole('button', { name: 'Compare now' }).click();
  await expect(page.getByRole('table', { name: 'Comparisons' }).getByRole('row').nth(1)).toContainText(
    'omplete',
  );
  await noAxeFindings(page);
  expect(JSON.parse(await command('status', '--json'))).toHaveProperty('reconciledSecondsAgo');

  await page.getByRole('button', { name: 'Open recovery' }).click();
  await expect(page.getByText('1 to decide')).toBeVisible();
  await inspect(page, 'a recovery that waits');
  await page.getByRole('button', { name: 'Decided' }).click();
  await page.getByRole('button', { name: 'It is decided' }).click();
  await expect(page.getByText('Please give a short reason')).toBeVisible();
  await expect(page.getByLabel('Reason')).toBeFocused();
  await inspect(page, 'a finding that is decided');
});
