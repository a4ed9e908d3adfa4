import { describe, expect, test } from 'vitest';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import DomainTransferStatusScreen from './domain-transfer-status.tsx';

const step = (kind: string, state: string, more: object = {}) => ({
  ...{ kind, state, at: null, expectedBy: null, ...more },
});
const running = {
  ...{ domain: 'acme.com', customerId: uuid(21), customer: 'Acme', orderId: uuid(41), state: 'running' },
  steps: [
    step('requested', 'done', { at: '2026-11-20T12:00:00Z' }),
    step('approval', 'current', { expectedBy: '2026-11-25T12:00:00Z' }),
    step('release', 'waiting'),
    step('completed', 'waiting'),
  ],
  ...{ reason: null, stuck: false, registrarStatus: 'pending', askedAt: null, held: 9.99 },
  nameservers: { before: ['ns1.old.example'], after: null as string[] | null, kept: null as boolean | null },
};
const cancel = 'POST /domain/transfer/cancel';
const look = 'GET /domain/transfer/:domain';

const open = (
  transfer: unknown,
  answers: Answers = {},
  role: 'MSP_OWNER' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER' = 'MSP_OWNER',
) =>
  openScreen(DomainTransferStatusScreen, {
    ...{ route: '/domain/transfer/$domain', path: '/domain/transfer/ACME.com', role },
    answers: { [look]: transfer, ...answers },
  });
const button = (name: string) => screen.getByRole('button', { name });

describe('a cancellation', () => {
  const cancelled = { domain: 'acme.com', notice: null };
  async function asked(answers: Answers = {}) {
    const opened = await open(running, { [cancel]: cancelled, ...answers });
    await opened.user.click(button('Cancel the transfer'));
    const dialog = within(screen.getByRole('dialog', { name: 'Cancel the transfer of acme.com?' }));
    const confirm = () => opened.user.click(dialog.getByText('Cancel the transfer'));
    return { ...opened, dialog, confirm };
  }

  test('asks first with what is released, and sends nothing when it is kept', async () => {
    const { dialog, sent, user } = await asked();
    expect(
      dialog.getByText(/The domain stays at its current registrar\. \$9\.99 is released\./),
    ).toBeDefined();
    await user.click(dialog.getByText('Keep it'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(cancel)).toEqual([]);
  });

  test('is sent once for this domain, says that it runs, and shows how it is then', async () => {
    const held = new Held();
    const { confirm, sent, answer, settled } = await asked({ [cancel]: held });
    await confirm();
    expect(button('Cancelling...')).toHaveProperty('disabled', true);
    expect(button('Keep it')).toHaveProperty('disabled', true);
    expect(sent(cancel).map(({ body }) => body)).toEqual([{ domain: 'acme.com' }]);
    answer(look, { ...running, state: 'failed', reason: 'It was cancelled.', held: null });
    held.give(cancelled);
    await settled();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('It was cancelled. You were not charged.');
  });

  test.each([
    [null, 'The registrar was asked to cancel this transfer. You see here when it has.'],
    ['Within the hour.', 'Within the hour.'],
  ])(
    'that is taken says so while the transfer still shows as running, and is not offered again: %s',
    async (notice, text) => {
      const { confirm } = await asked({ [cancel]: { ...cancelled, notice } });
      await confirm();
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(screen.getByText(text).closest('[role=status]')).not.toBeNull();
      expect(screen.queryByRole('button', { name: 'Cancel the transfer' })).toBeNull();
    },
  );

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It is too late.' }), 'It is too late.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s stays open and says why, and can be tried again', async (_what, answer, message) => {
    const { confirm, sent, dialog } = await asked({ [cancel]: answer });
    await confirm();
    expect(dialog.getByRole('alert').textContent).toBe(message);
    await confirm();
    expect(sent(cancel)).toHaveLength(2);
  });

  test.each<[string, object, 'MSP_OWNER' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER', boolean]>([
    ['an employee while it runs', running, 'MSP_EMPLOYEE', true],
    ["a customer's user", running, 'MSP_CUSTOMER', false],
    ['anybody once it is complete', { ...running, state: 'completed' }, 'MSP_OWNER', false],
    ['anybody once it has failed', { ...running, state: 'failed', reason: 'No.' }, 'MSP_OWNER', false],
  ])('is or is not offered to %s', async (_who, transfer, role, offered) => {
    await open(transfer, {}, role);
    expect(screen.queryByRole('button', { name: 'Cancel the transfer' }) !== null).toBe(offered);
  });
});

describe('a transfer shows', () => {
  test('its steps with their dates, its customer, its money and its order', async () => {
    const { sent } = await open({ ...running, askedAt: '2026-11-21T12:00:00Z' });
    expect(sent(look).map(({ params }) => params)).toEqual([{ domain: 'acme.com' }]);
    const steps = within(screen.getByRole('list', { name: 'Steps of the transfer' })).getAllByRole(
      'listitem',
    );
    expect(steps.map(({ textContent }) => /^\w+ \([\w ]+\)/.exec(textContent ?? '')?.[0])).toEqual([
      ...['Requested (done)', 'Approved (under way)', 'Released (not started)', 'Completed (not started)'],
    ]);
    expect(steps.map((one) => one.getAttribute('aria-current'))).toEqual([null, 'step', null, null]);
    expect(steps[0]?.textContent).toMatch(/Nov 20, 2026/);
    expect(steps[0]?.textContent).not.toContain('Expected by');
    expect(steps[1]?.textContent).toMatch(/Expected by.*Nov 25, 2026/);
    expect(screen.getByText('Customer: Acme')).toBeDefined();
    expect(screen.getByText('$9.99')).toBeDefined();
    expect(screen.getByText(/^The registrar was last asked/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Show the order' }).getAttribute('href')).toBe(
      `/orders/${uuid(41)}`,
    );
  });

  test.each([
    ['approval', /^Nobody has approved the transfer yet/],
    ['release', /^The current registrar has not released the domain/],
  ])('what helps when it is stuck at the %s', async (kind, text) => {
    await open({ ...running, stuck: true, steps: [step(kind, 'current')] });
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.getByText('This takes longer than usual')).toBeDefined();
  });

  test.each([
    [null, null, 'They are compared when the transfer is complete.'],
    [true, ['ns1.old.example'], 'The domain still uses the same nameservers.'],
    [false, ['ns1.new.example'], 'They have changed. Please check that this is what you want.'],
  ])('whether its nameservers were kept: %s', async (kept, after, text) => {
    const nameservers = { before: ['ns1.old.example'], after, kept };
    await open({ ...running, nameservers });
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.getByRole('list', { name: 'Before the transfer' }).textContent).toBe('ns1.old.example');
    expect(screen.queryByRole('list', { name: 'Now' })?.textContent ?? null).toBe(
      kept === false ? 'ns1.new.example' : null,
    );
  });

  test('the way to the domain once it is complete, and nothing of nameservers that were never read', async () => {
    await open({
      ...{ ...running, state: 'completed', held: null },
      nameservers: { before: null, after: null, kept: null },
    });
    expect(screen.getByRole('link', { name: 'Open acme.com' }).getAttribute('href')).toBe('/domain/acme.com');
    expect(screen.queryByText('Nameservers')).toBeNull();
    expect(screen.queryByText(/Reserved until it ends/)).toBeNull();
  });

  test.each<['MSP_OWNER' | 'MSP_CUSTOMER', string, boolean]>([
    ['MSP_OWNER', 'Wrong code. You were not charged.', true],
    ['MSP_CUSTOMER', 'Your provider can transfer it again.', false],
  ])('to %s why it failed, and the way to another try to those who buy', async (role, text, offered) => {
    await open({ ...running, state: 'failed', reason: 'Wrong code.' }, {}, role);
    expect(screen.getByRole('alert').textContent).toContain(text);
    const again = screen.queryByRole('link', { name: 'Transfer again' });
    // With its name: nobody types that again.
    expect(again?.getAttribute('href') ?? null).toBe(offered ? '/domain/transfer?name=acme.com' : null);
    expect(screen.queryByText('Nameservers')).toBeNull();
    // What was paid is the organization's.
    expect(screen.queryByRole('link', { name: 'Show the order' }) !== null).toBe(offered);
  });

  test.each<['MSP_OWNER' | 'MSP_CUSTOMER', boolean]>([
    ['MSP_OWNER', true],
    ['MSP_CUSTOMER', false],
  ])('to %s that there is none of this domain', async (role, offered) => {
    await open(refused(404, 'not_found'), {}, role);
    expect(screen.getByText('There is no transfer of this domain')).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Transfer a domain' }) !== null).toBe(offered);
  });

  test('that it could not be read, until it is read again', async () => {
    const { user, answer } = await open(refused(500, 'internal', { message: 'Broken' }));
    expect(screen.getByRole('alert').textContent).toContain('Broken');
    answer(look, running);
    await user.click(button('Try again'));
    expect(screen.getByText('Customer: Acme')).toBeDefined();
  });
});
