import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TokenForm } from './token-form.tsx';

function shown(oldSignIn: boolean): string {
  const none = () => undefined;
  const does = { onMade: none, onCancel: none, onSignInAgain: none };
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <TokenForm customers={[]} may={['customers.read']} oldSignIn={oldSignIn} {...does} />
      </MantineProvider>
    </QueryClientProvider>,
  ).replace(/<style.*?<\/style>|<[^>]+>/gs, ' ');
}

test('an old sign-in is asked for before anything is typed, since the sign-in leaves the page', () => {
  expect(shown(true)).toMatch(/please sign in again to make a token.*Sign in again.*Cancel/s);
  expect(shown(true)).not.toMatch(/Permissions|Create token/);
  expect(shown(false)).toMatch(/Permissions.*Create token.*Cancel/s);
  expect(shown(false)).not.toContain('ign in again');
});
