import { describe, expect, test } from 'vitest';
import type { CertificateRow } from '#contracts/operations/certificates.ts';
import { certificateOf } from '../../../tests/support/certificate-samples.ts';
import {
  type Answers,
  openScreen,
  paged,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { CertificatesTab } from '../features/certificates/certificate-list.tsx';
import CertificatesScreen from './certificates.tsx';

const list = 'GET /ssl';
const ofCustomer = 'GET /ssl/:customerId';
const figures = {
  ...{ domains: null, customers: null, people: null, charges: null, attention: null },
  certificates: { flagged: 2, valid: 3, open: 0, ended: 1_234 },
};
const row = (n: number, more: Partial<CertificateRow>): CertificateRow => ({
  ...certificateOf({ certificateId: uuid(n), orderId: `47${n}`, hostNames: [] }),
  ...more,
});
const flag = (kind: CertificateRow['flags'][number]['kind'], text: string) => ({
  flags: [{ kind, level: 'warning' as const, text }],
});
const byAcme = { accessId: uuid(41), name: 'Web server', lastSeenAt: null, problem: null };
const rows = [
  row(1, { address: 'a.example', hostNames: ['a.example', 'www.a.example'] }),
  row(2, { address: 'b.example', ...flag('proof', 'The record is gone.'), customer: 'Zeta' }),
  row(3, { address: 'c.example', state: 'expired', validTo: '2026-01-03T12:00:00Z', termEndsAt: null }),
  row(4, {
    address: 'd.example',
    state: 'pending',
    orderId: null,
    validTo: null,
    ...flag('waiting', 'Wait.'),
  }),
  row(5, {
    ...{ address: 'e.example', termEndsAt: null },
    byAcme: { ...byAcme, renewsAt: { from: '2075-11-01T12:00:00Z', to: '2075-11-05T12:00:00Z' } },
  }),
];

const open = (
  answers: Answers = {},
  path = '/certificates',
  role: 'MSP_OWNER' | 'MSP_CUSTOMER' = 'MSP_OWNER',
) =>
  openScreen(CertificatesScreen, {
    ...{ route: '/certificates', path, role },
    answers: { [list]: paged(rows), 'GET /overview': figures, 'GET /view': [], ...answers },
  });
const links = () => screen.getAllByRole('link').map((link) => link.getAttribute('href'));
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const cells = (of: Element) => [...of.querySelectorAll('td')].map(({ textContent }) => textContent);

describe('the list', () => {
  test('tells of each its names, state and what is next, and leads to its page where somebody is needed', async () => {
    await open();
    const [, ...shown] = screen.getAllByRole('row');
    const days = /\d+ days left/;
    expect(shown.map((each) => cells(each).map((text) => text?.replace(days, 'N days left')))).toEqual([
      [
        ...['a.exampleRapidSSL · term ends Feb 3, 2077 · www.a.example', 'Acme', 'Valid', 'N days left'],
        ...['Next reissue on Dec 3.', ''],
      ],
      [
        ...['b.exampleRapidSSL · term ends Feb 3, 2077', 'Zeta', 'Valid', 'N days left'],
        ...['The record is gone.', 'Put back'],
      ],
      ['c.exampleRapidSSL', 'Acme', 'Expired', 'since Jan 3', 'A newer order has replaced it.', 'Renew'],
      [
        ...['d.exampleRapidSSL · term ends Feb 3, 2077', 'Acme', 'Pending', 'not issued yet'],
        ...['Wait.', ''],
      ],
      [
        ...['e.exampleRapidSSL · by ACME', 'Acme', 'Valid', 'N days left'],
        ...['Its server renews it automatically from Nov 1 on.', ''],
      ],
    ]);
    expect(screen.getByRole('link', { name: 'Put back: b.example' }).getAttribute('href')).toBe('/SSL/472');
    expect(links()).toEqual([
      ...['/certificates/acme', '/SSL/471', '/SSL/472', '/SSL/472', '/SSL/473', '/SSL/473', '/SSL/475'],
    ]);
  });

  test('is asked for by band, from its first page on, and all of it again', async () => {
    const { user, sent } = await open({}, '/certificates?page=2');
    const bands = within(screen.getByRole('group', { name: 'Bands' })).getAllByRole('button');
    // One that would leave nothing is not offered.
    expect(bands.map(({ textContent }) => textContent)).toEqual([
      'Needs attention2',
      'In order3',
      'Ended1,234',
    ]);
    await user.click(button(/^Needs attention/));
    expect(button(/^Needs attention/).getAttribute('aria-pressed')).toBe('true');
    await user.click(button(/^Ended/));
    await user.click(button(/^Ended/));
    const first = { page: '1', pageSize: '50', sort: 'validTo' };
    expect(sent(list).map(({ query }) => query)).toEqual([
      { ...first, page: '2' },
      { ...first, band: 'attention' },
      { ...first, band: 'ended' },
      first,
    ]);
  });

  test('is sorted by what is pressed, from its first page on, and keeps its band and what was searched', async () => {
    const { user, sent } = await open({}, '/certificates?kind=valid&search=acme&page=3');
    const within_ = { pageSize: '50', band: 'valid', search: 'acme' };
    for (const name of ['Domain', 'Status', 'Validity', 'Validity']) await user.click(button(name));
    expect(sent(list).map(({ query }) => query)).toEqual([
      { ...within_, page: '3', sort: 'validTo' },
      ...['address', 'state', 'validTo', '-validTo'].map((sort) => ({ ...within_, page: '1', sort })),
    ]);
    expect(screen.getByLabelText('Search by host name or serial number')).toHaveProperty('value', 'acme');
  });

  test('takes no band from the address that there is none of', async () => {
    const { sent } = await open({}, '/certificates?kind=nothing');
    expect(sent(list).map(({ query }) => query)).toEqual([{ page: '1', pageSize: '50', sort: 'validTo' }]);
  });

  test('draws how much of the validity has passed, and the next reissue where there is one', async () => {
    await open();
    const bars = screen
      .getAllByRole('row')
      .slice(1)
      .map((each) => {
        const bar = each.querySelector<HTMLElement>('[data-tone][aria-hidden]');
        const passed = Number(bar?.style.getPropertyValue('--passed'));
        return bar && [bar.dataset.tone, passed === 1, bar.querySelector('[title="Next reissue"]') !== null];
      });
    expect(bars).toEqual([
      ...[['good', false, true], ['warn', false, true], ['bad', true, false], null, ['good', false, true]],
    ]);
  });

  test.each([
    ['attention', 'Nothing needs attention'],
    ['valid', 'No certificate is in order'],
    ['open', 'No certificate is on its way'],
    ['ended', 'No certificate has ended'],
  ])('of the band %s without rows says so', async (band, text) => {
    const { sent } = await open({ [list]: paged([]) }, `/certificates?kind=${band}`);
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Choose a domain' })).toBeNull();
    expect(sent(list).map(({ query }) => query.band)).toEqual([band]);
  });

  test.each([
    ['MSP_OWNER', true],
    ['MSP_CUSTOMER', false],
  ] as const)('without rows offers %s to choose a domain: %s', async (role, may) => {
    await open({ [list]: paged([]) }, '/certificates', role);
    expect(screen.getByText('No certificates found')).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Choose a domain' }) !== null).toBe(may);
    expect(screen.queryByText(/^Order one on the page of a domain/) !== null).toBe(may);
  });

  test('in which nothing matches offers to show all', async () => {
    const { user, answer } = await open({ [list]: paged([]) }, '/certificates?search=zz');
    expect(screen.getByText('No certificates found')).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Choose a domain' })).toBeNull();
    expect(screen.queryByText(/^Order one/)).toBeNull();
    answer(list, paged(rows));
    await user.click(button('Clear search and filters'));
    expect(links()).toContain('/SSL/471');
  });

  test('that cannot be read says so, and is read again', async () => {
    const { user, answer } = await open({
      ...{
        [list]: refused(500, 'internal', { message: 'Not now.' }),
        'GET /overview': refused(500, 'internal'),
      },
    });
    expect(screen.getByRole('alert').textContent).toContain('Not now.');
    // Without figures every band is offered.
    expect(within(screen.getByRole('group', { name: 'Bands' })).getAllByRole('button')).toHaveLength(4);
    answer(list, paged(rows));
    await user.click(button('Try again'));
    expect(links()).toContain('/SSL/471');
  });
});

describe("a customer's certificates", () => {
  const openTab = (answer: unknown) =>
    openScreen(() => <CertificatesTab customerId={uuid(21)} />, { answers: { [ofCustomer]: answer } });

  test('are asked for by their customer, the newest order first', async () => {
    const { sent } = await openTab(paged(rows.slice(0, 1)));
    expect(sent(ofCustomer).map(({ params, query }) => [params, query])).toEqual([
      [{ customerId: uuid(21) }, { page: '1', pageSize: '50', sort: '-orderedAt' }],
    ]);
    expect(screen.queryByRole('columnheader', { name: 'Customer' })).toBeNull();
    expect(links()).toEqual(['/SSL/471']);
  });

  test('that are none say so; those that could not be read are read again', async () => {
    const { user, answer } = await openTab(refused(500, 'internal', { message: 'Not now.' }));
    expect(screen.getByRole('alert').textContent).toContain('Not now.');
    answer(ofCustomer, paged([]));
    await user.click(button('Try again'));
    expect(screen.getByText('No certificates found')).toBeDefined();
  });
});
