import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test, vi } from 'vitest';
import { keepDraft } from '../../lib/drafts.ts';
import { TokenForm } from './token-form.tsx';
import { emptyToken, tokenForm } from './token-values.ts';

afterEach(() => vi.unstubAllGlobals());

function markupOf(oldSignIn: boolean): string {
  const none = () => undefined;
  const does = { onMade: none, onCancel: none, onSignInAgain: none };
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <TokenForm customers={[]} may={['customers.read']} oldSignIn={oldSignIn} {...does} />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

const shown = (oldSignIn: boolean) => markupOf(oldSignIn).replace(/<style.*?<\/style>|<[^>]+>/gs, ' ');

test('an old sign-in is asked for before anything is typed, since the sign-in leaves the page', () => {
  expect(shown(true)).toMatch(/please sign in again to make a token.*Sign in again.*Cancel/s);
  expect(shown(true)).not.toMatch(/Permissions|Create token/);
  expect(shown(false)).toMatch(/Permissions.*Create token.*Cancel/s);
  expect(shown(false)).not.toContain('ign in again');
});

test('what was typed before a sign-in that was asked for when it was sent is there again', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  });
  expect(markupOf(false)).not.toContain('value="Nightly script"');
  keepDraft(tokenForm, { ...emptyToken, name: 'Nightly script' }, emptyToken);
  expect(markupOf(false)).toContain('value="Nightly script"');
});
