import { describe, expect, test } from 'vitest';
import {
  type Answers,
  faultHasFocus,
  fieldErrors,
  Held,
  type Opened,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { readingOf, type ShownDomain } from '../../../../tests/support/shown-domain.ts';
import { useDomainDetails } from './api.ts';
import { DnsSection } from './dns-section.tsx';

function Shown({ mayChange }: { mayChange: boolean }) {
  const { data } = useDomainDetails('acme.com');
  return data && <DnsSection details={data} mayChange={mayChange} />;
}
const Changing = () => <Shown mayChange />;
const Reading = () => <Shown mayChange={false} />;

const setOwn = 'POST /:domain/nameserver/update_nameservers';
const setManaged = 'POST /:domain/zone/force_dns_nameservers';
const listOf = (...names: string[]) => names.map((name) => ({ name }));
const hosts = listOf('ns1.nameward.net', 'ns2.nameward.net');
const unsigned = { records: [] };
const signed = {
  records: [{ keyTag: '2371', algorithm: '13', digestType: '2', digest: 'AB12CD' }],
};

/** The section of a domain that the acts change, as they do at the registrar. */
async function open(domain: Partial<ShownDomain> = {}, answers: Answers = {}, mayChange = true) {
  const now = { ...domain };
  const opened = await openScreen(mayChange ? Changing : Reading, {
    answers: {
      'GET /domain/details/:domain': readingOf(() => now),
      'GET /:domain/dnssec': unsigned,
      [setOwn]: ({ body }: { body: { nameservers: string[] } }) => {
        Object.assign(now, { managed_dns: false, nameserver_list: listOf(...body.nameservers) });
        return { domain: 'acme.com', notice: null };
      },
      [setManaged]: () => {
        Object.assign(now, { managed_dns: true, nameserver_list: hosts });
        return { domain: 'acme.com', notice: null };
      },
      ...answers,
    } as Answers,
  });
  return { ...opened, now, save: () => opened.user.click(button('Save Changes')) };
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const input = (at: number) => screen.getByRole<HTMLInputElement>('textbox', { name: `Nameserver ${at}` });
const inputs = () => screen.queryAllByRole<HTMLInputElement>('textbox', { name: /^Nameserver/ });
const typed = () => inputs().map(({ value }) => value);
const option = () => screen.getByRole<HTMLInputElement>('combobox', { name: /^DNS option/ });
const choose = async ({ user }: Opened, name: string) => {
  await user.click(option());
  await user.click(screen.getByRole('option', { name }));
};
const retype = async ({ user }: Opened, at: number, name: string) => {
  await user.clear(input(at));
  if (name) await user.paste(name);
};
const sentOf = ({ sent }: Opened, name: string) =>
  sent(name).map(({ params, body }) => ({ domain: params.domain, body }));

describe('own nameservers', () => {
  test('are sent as they stand, tidied, and what the registrar has then is shown', async () => {
    const opened = await open();
    expect(typed()).toEqual(['ns1.acme.net', 'ns2.acme.net']);
    expect(button('Save Changes').disabled).toBe(true);
    await retype(opened, 2, ' NS9.Zeta.Example. ');
    await opened.user.click(button('Add nameserver'));
    await opened.user.type(input(3), 'ns3.acme.net');
    await opened.save();
    const nameservers = ['ns1.acme.net', 'ns9.zeta.example', 'ns3.acme.net'];
    expect(sentOf(opened, setOwn)).toEqual([{ domain: 'acme.com', body: { nameservers } }]);
    expect(sentOf(opened, setManaged)).toEqual([]);
    expect(typed()).toEqual(nameservers);
    expect(screen.getByRole('status').textContent).toBe('Nameservers have been updated');
    expect(button('Save Changes').disabled).toBe(true);
  });

  test('lose the one that is removed; the first two can only be changed', async () => {
    const names = ['a.acme.net', 'b.acme.net', 'c.acme.net', 'd.acme.net'];
    const opened = await open({ nameserver_list: listOf(...names) });
    const removable = screen.getAllByRole('button', { name: /^Remove nameserver/ });
    expect(removable.map((one) => one.getAttribute('aria-label'))).toEqual([
      'Remove nameserver 3',
      'Remove nameserver 4',
    ]);
    await opened.user.click(button('Remove nameserver 3'));
    await opened.save();
    expect(sentOf(opened, setOwn)).toEqual([
      { domain: 'acme.com', body: { nameservers: ['a.acme.net', 'b.acme.net', 'd.acme.net'] } },
    ]);
  });

  test.each([
    ['', 'This field is required'],
    ['ns2', 'This is not a valid domain name'],
    ['NS1.acme.net.', 'A nameserver is listed twice'],
  ])('with %j in the second are not sent, and that field says why', async (name, message) => {
    const opened = await open();
    await retype(opened, 2, name);
    expect(fieldErrors()).toEqual({});
    await opened.save();
    expect(fieldErrors()).toEqual({ 'Nameserver 2': message });
    expect(sentOf(opened, setOwn)).toEqual([]);
    // What is mended is told at once.
    await retype(opened, 2, 'ns7.acme.net');
    expect(fieldErrors()).toEqual({});
    await opened.save();
    expect(sentOf(opened, setOwn)).toHaveLength(1);
  });

  test('are sent by Enter in one of them, and the first that is wrong has the focus', async () => {
    const opened = await open();
    await retype(opened, 2, 'ns2');
    input(1).focus();
    await opened.user.keyboard('{Enter}');
    expect(fieldErrors()).toEqual({ 'Nameserver 2': 'This is not a valid domain name' });
    await faultHasFocus();
    await retype(opened, 2, 'ns7.acme.net');
    await opened.user.keyboard('{Enter}');
    expect(sentOf(opened, setOwn)).toEqual([
      { domain: 'acme.com', body: { nameservers: ['ns1.acme.net', 'ns7.acme.net'] } },
    ]);
  });

  test('are at most twelve', async () => {
    const names = Array.from({ length: 11 }, (_, at) => `ns${at}.acme.net`);
    const { user } = await open({ nameserver_list: listOf(...names) });
    expect(button('Add nameserver').disabled).toBe(false);
    await user.click(button('Add nameserver'));
    expect(inputs()).toHaveLength(12);
    expect(button('Add nameserver').disabled).toBe(true);
  });

  test('are asked for, two of them, where the domain is on managed DNS; leaving them asks first', async () => {
    const opened = await open({ managed_dns: true, nameserver_list: hosts });
    expect(option().value).toBe('Nameward managed DNS');
    expect(inputs()).toEqual([]);
    expect(button('Save Changes').disabled).toBe(true);
    await choose(opened, 'Your Own DNS');
    expect(typed()).toEqual(['', '']);
    await opened.save();
    expect(fieldErrors()).toEqual({
      'Nameserver 1': 'This field is required',
      'Nameserver 2': 'This field is required',
    });
    await opened.user.type(input(1), 'ns1.acme.net');
    await opened.user.click(screen.getByRole('link', { name: 'Edit records' }));
    const question = within(screen.getByRole('dialog', { name: 'Leave without saving the nameservers?' }));
    await opened.user.click(question.getByRole('button', { name: 'Stay' }));
    expect(opened.path()).toBe('/');
    await opened.user.type(input(2), 'ns2.acme.net');
    await opened.save();
    expect(sentOf(opened, setOwn)).toEqual([
      { domain: 'acme.com', body: { nameservers: ['ns1.acme.net', 'ns2.acme.net'] } },
    ]);
    expect(option().value).toBe('Your Own DNS');
    expect(screen.queryByRole('link', { name: 'Edit records' })).toBeNull();
  });
});

describe('managed DNS', () => {
  test('is one call without names, and shows the nameservers that the domain has then', async () => {
    const opened = await open();
    await retype(opened, 1, 'left.acme.net');
    await choose(opened, 'Nameward managed DNS');
    expect(screen.getByText(/^The domain will use Nameward's nameservers/)).toBeDefined();
    await opened.save();
    expect(sentOf(opened, setManaged)).toEqual([{ domain: 'acme.com', body: {} }]);
    expect(sentOf(opened, setOwn)).toEqual([]);
    expect(screen.getByRole('status').textContent).toBe('Nameward managed DNS has been activated');
    const names = within(screen.getByRole('list', { name: 'Nameservers' })).getAllByRole('listitem');
    expect(names.map(({ textContent }) => textContent)).toEqual(hosts.map(({ name }) => name));
    await opened.user.click(screen.getByRole('link', { name: 'Edit records' }));
    expect(opened.path()).toBe('/domain/acme.com/dns');
  });
});

/** Both ways of saving, and what is in the form when they are pressed. */
interface Way {
  way: string;
  name: string;
  body: object;
  fill: (opened: Opened) => Promise<void>;
  filled: () => void;
}
const ways: Way[] = [
  {
    ...{ way: 'own nameservers', name: setOwn, body: { nameservers: ['ns1.acme.net', 'ns5.acme.net'] } },
    fill: (opened: Opened) => retype(opened, 2, 'ns5.acme.net'),
    filled: () => expect(typed()).toEqual(['ns1.acme.net', 'ns5.acme.net']),
  },
  {
    ...{ way: 'managed DNS', name: setManaged, body: {} },
    fill: (opened: Opened) => choose(opened, 'Nameward managed DNS'),
    filled: () => expect(option().value).toBe('Nameward managed DNS'),
  },
];

describe.each(ways)('a change to $way', ({ name, body, fill, filled }) => {
  test.each([
    ['refused', refused(422, 'registrar_refused', { message: 'Unknown host.' }), 'Unknown host.'],
    ['not confirmed', refused(502, 'outcome_unknown', { message: 'Not confirmed.' }), 'Not confirmed.'],
    ['not answered', silence, 'Something went wrong'],
  ])(
    'that is %s says so, keeps what was typed, and is sent again on request',
    async (_what, answer, text) => {
      const opened = await open({}, { [name]: answer });
      await fill(opened);
      await opened.save();
      expect(screen.getByRole('alert').textContent).toContain(`Unable to set nameserver: ${text}`);
      expect(screen.queryByRole('dialog')).toBeNull();
      filled();
      await opened.save();
      expect(sentOf(opened, name)).toEqual([
        { domain: 'acme.com', body },
        { domain: 'acme.com', body },
      ]);
    },
  );

  test('that the registrar takes up later says when', async () => {
    const notice = 'The registrar takes it up within the hour.';
    const opened = await open({}, { [name]: { domain: 'acme.com', notice } });
    await fill(opened);
    await opened.save();
    expect(screen.getByRole('status').textContent).toBe(notice);
  });

  test('cannot be pressed twice or changed while it runs', async () => {
    const answer = new Held();
    const opened = await open({}, { [name]: answer });
    await fill(opened);
    await opened.save();
    expect(button('Saving changes...').disabled).toBe(true);
    expect(option().disabled).toBe(true);
    expect(inputs().every(({ disabled }) => disabled)).toBe(true);
    for (const other of screen.queryAllByRole('button', { name: /nameserver/ })) {
      expect(other).toHaveProperty('disabled', true);
    }
    await opened.user.click(button('Saving changes...'));
    answer.give({ domain: 'acme.com', notice: null });
    await opened.settled();
    expect(sentOf(opened, name)).toHaveLength(1);
  });

  test('of a signed domain is sent a second time only after a second yes', async () => {
    const opened = await open({}, { [name]: refused(409, 'signed_domain'), 'GET /:domain/dnssec': signed });
    await fill(opened);
    await opened.save();
    const question = () => screen.getByRole('dialog', { name: 'Move the DNS of a signed domain?' });
    expect(question().textContent).toContain('acme.com is signed with DNSSEC');
    expect(screen.queryByText(/^Unable to set nameserver/)).toBeNull();
    await opened.user.click(within(question()).getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByText(/^Unable to set nameserver/)).toBeNull();
    expect(sentOf(opened, name)).toHaveLength(1);
    filled();
    await opened.save();
    opened.answer(name, refused(422, 'registrar_refused', { message: 'The registry is closed.' }));
    await opened.user.click(within(question()).getByRole('button', { name: 'Save anyway' }));
    expect(sentOf(opened, name).map((sent) => sent.body)).toEqual([
      body,
      body,
      { ...body, dnssecConfirmed: true },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('Unable to set nameserver: The registry is closed.')).toBeDefined();
    filled();
    // A yes holds for the one time.
    opened.answer(name, { domain: 'acme.com', notice: null });
    await opened.save();
    expect(sentOf(opened, name).at(-1)?.body).toEqual(body);
  });
});

test('what came of one way is no longer said when the other was saved', async () => {
  const opened = await open({}, { [setOwn]: refused(422, 'registrar_refused') });
  await retype(opened, 2, 'ns5.acme.net');
  await opened.save();
  expect(screen.getByText(/^Unable to set nameserver/)).toBeDefined();
  await choose(opened, 'Nameward managed DNS');
  await opened.save();
  expect(screen.queryByText(/^Unable to set nameserver/)).toBeNull();
});

test.each([
  ['signed', signed, true],
  ['unsigned', unsigned, false],
])(
  'of a domain that is %s the form says what a move does, before anything is saved',
  async (_is, state, said) => {
    const opened = await open({}, { 'GET /:domain/dnssec': state });
    const warning = () =>
      screen.queryByText(/^If its nameservers change now, acme.com can no longer be found/);
    expect(warning()).toBeNull();
    // The registrar is asked where it matters.
    expect(opened.sent('GET /:domain/dnssec')).toEqual([]);
    await retype(opened, 2, 'ns5.acme.net');
    expect(opened.sent('GET /:domain/dnssec').map(({ params }) => params)).toEqual([{ domain: 'acme.com' }]);
    expect(warning() !== null).toBe(said);
    await retype(opened, 2, 'ns2.acme.net');
    expect(warning()).toBeNull();
  },
);

test('what is being typed stays while the domain is read again, unless its nameservers have changed', async () => {
  const opened = await open({}, { [setManaged]: refused(422, 'registrar_refused') });
  await retype(opened, 2, 'ns5.acme.net');
  await choose(opened, 'Nameward managed DNS');
  await opened.save();
  await choose(opened, 'Your Own DNS');
  expect(typed()).toEqual(['ns1.acme.net', 'ns5.acme.net']);
  opened.now.nameserver_list = listOf('x.acme.net', 'y.acme.net');
  await choose(opened, 'Nameward managed DNS');
  await opened.save();
  expect(typed()).toEqual(['x.acme.net', 'y.acme.net']);
});

test.each<[string, Partial<ShownDomain>]>([
  ['own', { managed_dns: false }],
  ['managed', { managed_dns: true, nameserver_list: hosts }],
])('those who may not change it see it and are offered nothing: %s', async (_way, domain) => {
  await open(domain, {}, false);
  expect(option().disabled).toBe(true);
  expect(inputs().every(({ disabled }) => disabled)).toBe(true);
  expect(screen.queryByRole('button', { name: 'Save Changes' })).toBeNull();
});

describe('before the DNS moves', () => {
  const kept = /^The records on the Managed DNS tab will not be served any more\. They are kept/;
  const served = /^The domain will use Nameward's nameservers\. They serve the records that are kept here/;
  test.each([
    [true, 'Your Own DNS', kept],
    [false, 'Nameward managed DNS', served],
  ])('it is said what becomes of the records here: on managed DNS %s', async (managed, to, text) => {
    const opened = await open({ managed_dns: managed, nameserver_list: hosts });
    expect(screen.queryByText(/^The (records|domain will)/)).toBeNull();
    await choose(opened, to);
    expect(screen.getByText(text)).toBeDefined();
  });
});
