import { cleanup } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  type Call,
  Held,
  openScreen,
  refused,
  screen,
  silence,
} from '../../../../tests/support/screen.tsx';
import { readingOf, registrantOf, type ShownDomain } from '../../../../tests/support/shown-domain.ts';
import { useDomainDetails } from './api.ts';
import { RegistrantChip, RegistrantNotice } from './registrant-notice.tsx';

const onChangeRegistrant = vi.fn();
function Shown({ may }: { may: boolean }) {
  const { data, asking } = useDomainDetails('acme.com');
  return (
    data && (
      <RegistrantNotice
        details={data}
        asking={asking}
        mayResend={may}
        onChangeRegistrant={may ? onChangeRegistrant : null}
      />
    )
  );
}
const Changing = () => <Shown may />;
const Reading = () => <Shown may={false} />;

type Verification = NonNullable<ShownDomain['verification']>;
const resend = 'POST /domain/resend_verification';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 - 3_600_000).toISOString();
const waiting: Verification = { state: 'waiting', deadline: null, bounced: false, sentAt: null };
const owner = registrantOf();

async function open(verification: Partial<Verification> | null, answers: Answers = {}, may = true) {
  onChangeRegistrant.mockReset();
  const now: Partial<ShownDomain> = {
    verification: verification && { ...waiting, ...verification },
    contact_set: { owner },
  };
  const opened = await openScreen(may ? Changing : Reading, {
    answers: {
      'GET /domain/details/:domain': readingOf(() => now),
      [resend]: { domain: 'acme.com', notice: null },
      ...answers,
    },
  });
  return { ...opened, now };
}
const button = (name: string) => screen.queryByRole<HTMLButtonElement>('button', { name });
const press = (name: string) => screen.getByRole('button', { name });
const words = () => screen.queryAllByRole('status').map(({ textContent }) => textContent ?? '')[0] ?? null;

describe('what is said of a registrant', () => {
  test.each<[string, Partial<Verification> | null, RegExp | null]>([
    ['verified', { state: 'verified' }, null],
    ['nobody knows', null, null],
    [
      'waiting',
      {},
      /^The registrant has not confirmed their email address(?!:).*Otherwise the registrar suspends the domain, and/,
    ],
    [
      'with days left',
      { deadline: inDays(9) },
      /^The registrant has not .* address: 9 days left.*suspends the domain on [A-Z]/,
    ],
    ['on the last day', { deadline: inDays(1) }, /^The registrant has not .* address: 1 day left/],
    [
      'bounced',
      { bounced: true },
      /^The email to the registrant could not be delivered.*correct .*Registrant: zoe@acme.example/,
    ],
    [
      'suspended',
      { state: 'suspended' },
      /^acme.com is suspendedThe registrant did not confirm.* The website and mail of this domain do not work\..*Registrant: zoe@acme.exampleResend/,
    ],
    ['under review', { state: 'reviewing' }, /^The registrar is checking the registrantNothing needs/],
    ['sent again', { sentAt: '2026-11-20T12:00:00Z' }, /The email was last sent again Nov 20, 2026/],
  ])('fits how it stands: %s', async (_state, verification, expected) => {
    await open(verification);
    if (expected) expect(words()).toMatch(expected);
    else expect(words()).toBeNull();
  });

  test.each([
    ['waiting', true],
    ['suspended', true],
    ['reviewing', false],
  ] as const)('offers the email once more where somebody waits for it: %s', async (state, offered) => {
    await open({ state });
    expect(button('Resend the email') !== null).toBe(offered);
  });

  test('offers those nothing who may not change it', async () => {
    await open({ state: 'suspended' }, {}, false);
    expect(screen.queryByRole('button')).toBeNull();
  });

  test('leads to the owner that is known, and to none that is not', async () => {
    const { user, answer } = await open({});
    await user.click(press("Change the registrant's address"));
    expect(onChangeRegistrant).toHaveBeenCalledOnce();
    answer(
      'GET /domain/details/:domain',
      readingOf(() => ({ verification: waiting })),
    );
    await user.click(press('Resend the email'));
    expect(button("Change the registrant's address")).toBeNull();
    expect(words()).toMatch(/^The registrant .*The registrant has to follow the link/);
    expect(words()).not.toContain('Registrant:');
  });

  test('keeps their places for the address and the way to change it, which the registrar alone knows', async () => {
    const live = new Held();
    const opened = await open(
      { bounced: true },
      {
        'GET /domain/details/:domain': (call: Call) =>
          call.query.type === 'none' ? readingOf(() => ({ verification: waiting }))(call) : live,
      },
    );
    const change = () => press("Change the registrant's address") as HTMLButtonElement;
    expect(words()).toMatch(/Registrant: Resend/);
    expect(change().disabled).toBe(true);
    live.give(readingOf(() => opened.now));
    await opened.settled();
    expect(words()).toMatch(/Registrant: zoe@acme.exampleResend/);
    expect(change().disabled).toBe(false);
  });
});

test.each<[Verification['state'], string | null, string]>([
  ['waiting', inDays(9), '9 days to verify'],
  ['waiting', null, 'Not verified'],
  ['suspended', inDays(-1), 'Suspended'],
  ['reviewing', null, ''],
  ['verified', null, ''],
])('a list says beside a name only what needs somebody: %s until %s', async (state, deadline, text) => {
  await openScreen(() => (
    <div role="status">
      <RegistrantChip state={state} deadline={deadline} />
    </div>
  ));
  expect(words()).toBe(text);
});

/** How something is drawn, without its words. */
const drawn = (element: Element | null | undefined) => element?.getAttribute('style') ?? '';

test('the notice presses from five days on, when the email came back, and when the domain is suspended', async () => {
  const notice = async (verification: Partial<Verification>) => {
    await open(verification);
    const style = drawn(screen.getAllByRole('status')[0]);
    cleanup();
    return style;
  };
  const calm = await notice({ deadline: inDays(7) });
  const pressing = await notice({ state: 'suspended' });
  expect(pressing).not.toBe(calm);
  expect([await notice({}), await notice({ state: 'reviewing' })]).toEqual([calm, calm]);
  expect([await notice({ deadline: inDays(5) }), await notice({ bounced: true })]).toEqual([
    pressing,
    pressing,
  ]);
});

test('in a list, too, a deadline presses from five days on', async () => {
  const chip = async (deadline: string | null) => {
    await openScreen(() => <RegistrantChip state="waiting" deadline={deadline} />);
    const style = drawn(screen.getByText(/verif/).closest('.mantine-Badge-root'));
    cleanup();
    return style;
  };
  const calm = await chip(inDays(7));
  expect(await chip(null)).toBe(calm);
  expect(await chip(inDays(5))).not.toBe(calm);
});

describe('the email that is sent again', () => {
  test('is one call of this domain, which says that it is on its way and shows when', async () => {
    const { user, sent, now } = await open({});
    now.verification = { ...waiting, sentAt: '2026-11-26T12:00:00Z' };
    await user.click(press('Resend the email'));
    expect(sent(resend).map(({ body }) => body)).toEqual([{ domain: 'acme.com' }]);
    expect(screen.getByText('The email is on its way.')).toBeDefined();
    expect(words()).toContain('The email was last sent again Nov 26, 2026');
  });

  test('that goes out later says when, and not that it is on its way', async () => {
    const { user } = await open({}, { [resend]: { domain: 'acme.com', notice: 'Within the hour.' } });
    await user.click(press('Resend the email'));
    expect(screen.getByText('Within the hour.')).toBeDefined();
    expect(screen.queryByText('The email is on its way.')).toBeNull();
  });

  test.each([
    ['refused', refused(422, 'registrar_refused', { message: 'One an hour.' }), 'One an hour.'],
    ['not confirmed', refused(502, 'outcome_unknown', { message: 'Not confirmed.' }), 'Not confirmed.'],
    ['not answered', silence, 'Something went wrong'],
  ])('that is %s says so, and can be asked for again', async (_what, answer, text) => {
    const { user, sent } = await open({}, { [resend]: answer });
    await user.click(press('Resend the email'));
    expect(screen.getByRole('alert').textContent).toBe(text);
    expect(screen.queryByText('The email is on its way.')).toBeNull();
    await user.click(press('Resend the email'));
    expect(sent(resend)).toHaveLength(2);
  });

  test('cannot be pressed twice while it runs', async () => {
    const answer = new Held();
    const { user, sent, settled } = await open({}, { [resend]: answer });
    await user.click(press('Resend the email'));
    expect(button('Sending...')?.disabled).toBe(true);
    await user.click(press('Sending...'));
    answer.give({ domain: 'acme.com', notice: null });
    await settled();
    expect(sent(resend)).toHaveLength(1);
    expect(button('Resend the email')?.disabled).toBe(false);
  });
});
