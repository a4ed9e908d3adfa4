import { fireEvent } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { useCustomer } from './api.ts';
import { BillingTab } from './billing-tab.tsx';

const owner = {
  ...{ organization: 'Acme', firstName: 'Ann', lastName: 'Smith', address1: '1 Main St', city: 'Troy' },
  ...{ state: 'NY', postalCode: '12180', country: 'US', email: 'ann@acme.example', phone: '+1.5185550100' },
};
const percent = (value: number) => ({ type: 'percentage', value });
const fixed = (value: number) => ({ type: 'fixed', value });
const markups = {
  domain: { purchase: percent(10), renewal: percent(12.5) },
  certificate: { purchase: fixed(3), renewal: percent(0) },
};
const on = { billDirectly: true, email: 'pay@acme.example', stripeId: 'cus_1', allowChangeBilling: true };
const acme = {
  ...{ customerId: uuid(21), contacts: { owner, admin: owner, billing: owner }, billing: on, markups },
  ...{ domainsCount: 0, paymentMethodSet: false, allowDomainSettings: false, version: 3 },
  chargesStopped: null,
  createdAt: '2026-11-01T00:00:00Z',
};

function Tab({ mayEdit = true }: { mayEdit?: boolean }) {
  const { data } = useCustomer(acme.customerId);
  return data && <BillingTab customer={data} mayEdit={mayEdit} />;
}
const TabToRead = () => <Tab mayEdit={false} />;

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const put = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });
const places = ['Domain purchase', 'Domain renewal', 'Certificate purchase', 'Certificate renewal'];
const typeOf = (place: string) =>
  within(screen.getByRole('radiogroup', { name: `${place}: type of markup` }))
    .getAllByRole<HTMLInputElement>('radio')
    .find(({ checked }) => checked)?.value;
const shown = () => places.map((place) => [field(place).value, typeOf(place)]);
const read = 'GET /customer/:id';
const change = 'PATCH /customer/:id';
const link = 'GET /customer/resend-payment-link/:stripeId';

async function open(answers: Answers = {}, customer: object = acme, tab = Tab) {
  const opened = await openScreen(tab, { answers: { [read]: customer, ...answers } });
  return {
    ...opened,
    save: () => opened.user.click(button('Save')),
    bodies: () => opened.sent(change).map(({ body }) => body),
  };
}

describe('direct billing and markups', () => {
  test('show what is stored, each markup in its place with its type', async () => {
    await open();
    for (const name of ['Direct billing and markups', 'Markups']) {
      expect(screen.getByRole('heading', { name })).toBeDefined();
    }
    expect(screen.getByText(/is invited to set up their own payment sub-account/)).toBeDefined();
    expect(screen.getByText(/need not equal the domain billing contact email/)).toBeDefined();
    expect(field('Enable direct billing').checked).toBe(true);
    expect(field('Billing email').value).toBe('pay@acme.example');
    expect(shown()).toEqual([
      ['10', 'percentage'],
      ['12.5', 'percentage'],
      ['3', 'fixed'],
      ['0', 'percentage'],
    ]);
  });

  test('are sent whole with the version that was read; an emptied markup is 0', async () => {
    const saved = { ...acme, version: 4, billing: { ...on, email: 'new@acme.example' } };
    const { user, save, sent, bodies, answer } = await open({ [change]: saved });
    put('Billing email', ' new@acme.example ');
    put('Domain purchase', '7.25');
    put('Certificate purchase', '');
    const types = screen.getByRole('radiogroup', { name: 'Domain renewal: type of markup' });
    await user.click(within(types).getByLabelText('Fixed'));
    answer(read, saved);
    await save();
    expect(sent(change)).toMatchObject([{ params: { id: acme.customerId } }]);
    expect(bodies()).toEqual([
      {
        billing: { billDirectly: true, email: 'new@acme.example' },
        markups: {
          domain: { purchase: percent(7.25), renewal: fixed(12.5) },
          certificate: { purchase: fixed(0), renewal: percent(0) },
        },
        version: 3,
      },
    ]);
    expect(screen.getByText('Saved.')).toBeDefined();
    put('Domain purchase', '8');
    expect(screen.queryByText('Saved.')).toBeNull();
    await save();
    expect(bodies()[1]).toMatchObject({ version: 4 });
  });

  test('are switched off without the loss of email and markups', async () => {
    const { user, save, bodies } = await open({ [change]: acme });
    await user.click(field('Enable direct billing'));
    expect(field('Billing email').disabled).toBe(true);
    await save();
    expect(bodies()).toEqual([
      { billing: { billDirectly: false, email: 'pay@acme.example' }, markups, version: 3 },
    ]);
  });

  test('are refused with an email that is none, at its field', async () => {
    const { save, bodies } = await open();
    put('Billing email', 'pay@');
    await save();
    expect(fieldErrors()).toEqual({ 'Billing email': 'Please enter a valid email address' });
    await faultHasFocus();
    expect(bodies()).toEqual([]);
  });

  test('cannot be changed by those who may not', async () => {
    await open({}, acme, TabToRead);
    for (const label of ['Enable direct billing', 'Billing email', ...places]) {
      expect(field(label).disabled).toBe(true);
    }
    expect(screen.getAllByRole<HTMLInputElement>('radio').every(({ disabled }) => disabled)).toBe(true);
    expect(button('Save').disabled).toBe(true);
    expect(button('Send payment setup link').getAttribute('aria-disabled')).toBe('true');
  });

  test('show what somebody else has saved as long as nothing is typed', async () => {
    const { save, answer, bodies } = await open({ [change]: refused(404, 'not_found') });
    answer(read, {
      ...acme,
      version: 4,
      markups: { ...markups, domain: { ...markups.domain, purchase: fixed(9) } },
    });
    await save();
    expect(field('Domain purchase').value).toBe('9');
    expect(typeOf('Domain purchase')).toBe('fixed');
    await save();
    expect(bodies()).toMatchObject([{ version: 3 }, { version: 4 }]);
  });
});

describe('a change of direct billing', () => {
  test('is sent once and says that it is under way', async () => {
    const answer = new Held();
    const { user, save, settled, sent } = await open({ [change]: answer });
    put('Domain purchase', '8');
    await save();
    expect(button('Saving customer...').disabled).toBe(true);
    await user.click(button('Saving customer...'));
    answer.give(acme);
    await settled();
    expect(sent(change)).toHaveLength(1);
  });

  const details = [{ path: 'billing.billDirectly', message: 'Only owners may' }];
  test.each([
    ['refused', refused(400, 'validation_failed', { details }), 'Not this time'],
    ['without an answer', silence, 'Something went wrong. Please try again.'],
  ])(
    'that is %s says why, and keeps what was typed even if nothing can be read again',
    async (_what, how, message) => {
      const { save, answer, bodies } = await open({ [change]: how });
      put('Domain purchase', '8');
      answer(read, refused(503, 'unavailable'));
      await save();
      expect(screen.getByRole('alert').textContent).toBe(message);
      expect(field('Domain purchase').value).toBe('8');
      await save();
      expect(bodies()).toMatchObject([{ version: 3 }, { version: 3 }]);
    },
  );

  test('that is refused for fields says so there, and the first of them has the focus', async () => {
    const more = [...details, { path: 'markups.domain.purchase.value', message: 'Too much' }];
    const { save } = await open({ [change]: refused(400, 'validation_failed', { details: more }) });
    put('Domain purchase', '8');
    await save();
    expect(screen.getByText('Only owners may')).toBeDefined();
    expect(screen.getByText('Too much')).toBeDefined();
    await eventually(() =>
      expect(document.activeElement).toBe(screen.getByLabelText('Enable direct billing')),
    );
  });

  const theirs = {
    ...{ ...acme, version: 4, billing: { ...on, billDirectly: false, email: 'they@acme.example' } },
    markups: { ...markups, domain: { purchase: percent(20), renewal: fixed(4) } },
  };
  async function conflict() {
    const opened = await open({ [change]: refused(409, 'conflict', { data: theirs }) });
    put('Domain purchase', '8');
    put('Certificate renewal', '1');
    opened.answer(read, theirs);
    await opened.save();
    return opened;
  }

  test('over what a colleague has saved shows both where both have changed something, keeps what was typed, and theirs elsewhere', async () => {
    await conflict();
    const rows = within(screen.getByRole('table', { name: 'Differences' }))
      .getAllByRole('row')
      .slice(1);
    expect(rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))).toEqual([
      ['Domain purchase', '20%', '8%'],
    ]);
    expect(field('Enable direct billing').checked).toBe(false);
    expect(field('Billing email').value).toBe('they@acme.example');
    expect(shown()).toEqual([
      ['8', 'percentage'],
      ['4', 'fixed'],
      ['3', 'fixed'],
      ['1', 'percentage'],
    ]);
  });

  test('saves mine over theirs, as it stands by then, and nothing of theirs that was not touched', async () => {
    const { user, answer, bodies } = await conflict();
    put('Domain purchase', '8.5');
    answer(change, { ...acme, version: 5 });
    await user.click(button('Save mine'));
    expect(bodies()[1]).toEqual({
      billing: { billDirectly: false, email: 'they@acme.example' },
      markups: {
        domain: { purchase: percent(8.5), renewal: fixed(4) },
        certificate: { ...markups.certificate, renewal: percent(1) },
      },
      version: 4,
    });
    expect(screen.queryByText('Someone else changed this customer')).toBeNull();
  });

  test('takes theirs where both have changed something, with nothing sent, and goes on from there', async () => {
    const { user, save, bodies } = await conflict();
    await user.click(button('Take theirs'));
    expect(field('Enable direct billing').checked).toBe(false);
    expect(shown()[0]).toEqual(['20', 'percentage']);
    expect(shown()[3]).toEqual(['1', 'percentage']);
    // The button that was pressed is gone with the notice.
    expect(document.activeElement).toBe(field('Enable direct billing'));
    expect(screen.queryByText('Someone else changed this customer')).toBeNull();
    expect(bodies()).toHaveLength(1);
    await save();
    expect(bodies()[1]).toMatchObject({
      billing: { billDirectly: false },
      markups: { domain: { purchase: percent(20) }, certificate: { renewal: percent(1) } },
      version: 4,
    });
  });
});

describe('the payment setup link', () => {
  const send = () => button('Send payment setup link');

  test('goes to this customer once, and says that it went, to this address', async () => {
    const answer = new Held();
    const { user, settled, sent } = await open({ [link]: answer });
    await user.click(send());
    await user.click(button('Sending...'));
    answer.give({});
    await settled();
    expect(screen.getByText('Payment setup link sent successfully.')).toBeDefined();
    await user.click(send());
    expect(sent(link).map(({ params }) => params)).toEqual([{ stripeId: 'cus_1' }]);
    put('Billing email', 'other@acme.example');
    expect(screen.queryByText('Payment setup link sent successfully.')).toBeNull();
    put('Billing email', 'pay@acme.example');
    expect(screen.getByText('Payment setup link sent successfully.')).toBeDefined();
  });

  test.each([
    ['refused', refused(502, 'vendor_error')],
    ['without an answer', silence],
  ])('that is %s says so, and can be sent again', async (_what, how) => {
    const { user, sent } = await open({ [link]: how });
    await user.click(send());
    expect(screen.getByText('Something went wrong when sending request. Please try again.')).toBeDefined();
    await user.click(send());
    expect(sent(link)).toHaveLength(2);
  });

  test.each([
    ['without direct billing', 'Disabled', { billing: { ...on, billDirectly: false } }],
    ['without an account at the payment provider', 'Pending', { billing: { ...on, stripeId: null } }],
    ['with a payment method', 'Active', { paymentMethodSet: true }],
  ])('is not sent %s', async (_why, chip, more) => {
    const { user, sent } = await open({}, { ...acme, ...more });
    await user.click(send());
    expect(sent(link)).toEqual([]);
    expect(document.querySelector('[data-chip]')?.textContent).toBe(chip);
    const missing = screen.queryByText('Direct billing is not enabled for this customer.');
    expect(missing !== null).toBe(chip === 'Pending');
  });

  test('is not sent while something is not saved', async () => {
    const { user, sent } = await open();
    expect(send().getAttribute('aria-disabled')).toBe('false');
    put('Domain purchase', '8');
    expect(send().getAttribute('aria-disabled')).toBe('true');
    await user.click(send());
    expect(sent(link)).toEqual([]);
    await user.hover(send());
    expect(screen.getByRole('tooltip').textContent).toBe(
      'You need to save the customer with direct billing enabled and email added before sending the payment setup link.',
    );
  });
});

describe('a customer whose charges are stopped by a dispute', () => {
  const stopped = {
    paymentMethodSet: true,
    chargesStopped: { since: '2026-11-20T12:00:00Z', disputes: 1, chargeId: uuid(9) },
  };
  const notice = () => screen.queryByText(/^Charges have been stopped since/)?.closest('[role=status]');

  test('keeps the chip of what is set up, says since when and why, and leads managers to the dispute', async () => {
    await open({}, { ...acme, ...stopped });
    expect(document.querySelector('[data-chip]')?.textContent).toBe('Active');
    expect(notice()?.textContent).toContain('Charges have been stopped since Nov 20, 2026');
    expect(notice()?.textContent).toContain('Acme disputed a payment. Nothing more is charged to them');
    expect(screen.getByRole('link', { name: 'Review dispute' }).getAttribute('href')).toBe(
      `/direct-billing?charge=${uuid(9)}`,
    );
  });

  test('tells an employee who can allow charges', async () => {
    await open({}, { ...acme, ...stopped }, TabToRead);
    expect(notice()?.textContent).toContain('An owner or an administrator can allow charges');
    expect(screen.queryByRole('link', { name: /^Review/ })).toBeNull();
  });

  test('says nothing of it otherwise', async () => {
    await open();
    expect(notice()).toBeUndefined();
  });
});
