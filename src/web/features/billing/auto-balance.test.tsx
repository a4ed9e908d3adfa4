import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { AutoBalance } from './auto-balance.tsx';

/** The card as it stands with this setting, in cents. */
function shown(autoBalance: { active: boolean; amount: number; mark: number }, failure?: Error) {
  const client = new QueryClient();
  client.setQueryData(['account', 'account'], { autoBalance });
  const account = client.getQueryCache().find({ queryKey: ['account', 'account'] });
  if (failure) account?.setState({ status: 'error', error: failure });
  const markup = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <AutoBalance />
      </MantineProvider>
    </QueryClientProvider>,
  );
  const [button = ''] = /<button[^>]*>(?:(?!<\/button>).)*(?:Enable|Update)/s.exec(markup) ?? [];
  return { text: markup.replace(/<[^>]+>/g, ' '), isEnabled: !/\sdisabled(=|\s|>)/.test(button) };
}

const setting = { active: false, amount: 100_00, mark: 50_00 };

test('auto balance is turned on with sums that are large enough, and off where it is on', () => {
  const { text, isEnabled } = shown(setting);
  expect(isEnabled).toBe(true);
  expect(text).toMatch(/falls below\s+\$50\.00.*reloaded with\s+\$100\.00/s);
  expect(text).not.toMatch(/Minimum|Disable/);
  expect(shown({ ...setting, active: true }).text).toMatch(/On.*Update.*Disable/s);
});

test.each([
  ['amount', { amount: 99_99 }, 'Minimum of $100'],
  ['mark', { mark: 9_99 }, 'Minimum of $10'],
])('a %s that is too small is said so, and cannot be set', (_which, change, message) => {
  const { text, isEnabled } = shown({ ...setting, ...change });
  expect(text).toContain(message);
  expect(isEnabled).toBe(false);
});

test('what is being typed stays when the account is read again and that fails', () => {
  expect(shown(setting, new Error('No answer')).text).toMatch(/Auto Balance.*Enable/s);
});
