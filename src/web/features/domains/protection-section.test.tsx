import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { ApiError } from '../../lib/api-error.ts';
import { SessionProvider } from '../../lib/session.tsx';
import { ProtectionSettings } from './protection-section.tsx';

type Changes = Pick<Parameters<typeof ProtectionSettings>[0], 'autoRenew' | 'lock' | 'privacy'>;
const idle = { mutate: () => undefined, isPending: false, error: null, data: undefined };
const none: Changes = { autoRenew: idle, lock: idle, privacy: idle };

/** The words of the section, and of each of its settings, in the order in which they stand. */
function shown(changes: Partial<Changes>) {
  const details = {
    ...{ domain: 'a.com', privacy: false, live: true, verification: null },
    ext_results: [{ 'a.com': { lock_state: 1, auto_renew: 0 } }],
  } as unknown as DomainDetails;
  const markup = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider config={{ appType: 'msp' } as never}>
        <MantineProvider>
          <ProtectionSettings details={details} mayChange mayUnlock {...none} {...changes} />
        </MantineProvider>
      </SessionProvider>
    </QueryClientProvider>,
  );
  const text = markup.replace(/<style.*?<\/style>|<[^>]+>/gs, ' ').replace(/\s+/g, ' ');
  const [, autoRenew = '', lock = '', privacy = ''] =
    /(Auto Renew .*)(Lock status .*)(Privacy .*)/.exec(text) ?? [];
  return { markup, text, settings: { autoRenew, lock, privacy } };
}

const settings = ['autoRenew', 'lock', 'privacy'] as const;
const refused = new ApiError('The registrar did not confirm the change.', {
  code: 'upstream_unavailable',
  status: 503,
});
const late = { domain: 'a.com', notice: 'The registrar takes it up within the hour.' };

test.each(settings)('why a setting was not changed is said at it, and at no other: %s', (changed) => {
  const { markup, text, settings: said } = shown({ [changed]: { ...idle, error: refused } });
  expect(said[changed]).toContain(refused.message);
  expect(text.split(refused.message)).toHaveLength(2);
  expect(markup).toContain('role="alert"');
  expect(shown({}).text).not.toContain(refused.message);
});

test.each(settings)('what the registrar takes up later is said at the setting: %s', (changed) => {
  const { text, settings: said } = shown({ [changed]: { ...idle, data: late } });
  expect(said[changed]).toContain(late.notice);
  expect(text.split(late.notice)).toHaveLength(2);
  // After a refusal the earlier notice is no word of how it stands.
  expect(shown({ [changed]: { ...idle, data: late, error: refused } }).text).not.toContain(late.notice);
  expect(shown({ [changed]: { ...idle, data: { ...late, notice: null } } }).text).toBe(shown({}).text);
});

test('an unlocking that needs a fresh sign-in asks for one at the lock', () => {
  const error = new ApiError('Sign in again', { code: 'fresh_sign_in_required', status: 403 });
  const { lock } = shown({ lock: { ...idle, error } }).settings;
  expect(lock).toContain('For your safety, please sign in again to unlock this domain. Sign in again');
});

test.each(settings)(
  'while a setting is being changed it cannot be pressed again, and the others can: %s',
  (changed) => {
    const disabled = (changes: Partial<Changes>) => shown(changes).markup.match(/\sdisabled=/g) ?? [];
    expect(disabled({})).toHaveLength(0);
    expect(disabled({ [changed]: { ...idle, isPending: true } })).toHaveLength(1);
  },
);
