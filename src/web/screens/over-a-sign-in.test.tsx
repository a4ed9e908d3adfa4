import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { screenMarkup } from '../../../tests/support/screen-markup.tsx';
import { keepDraft } from '../lib/drafts.ts';
import PrivacyScreen from './privacy.tsx';

afterEach(() => vi.unstubAllGlobals());

test('who was searched for among former customers and users is there again after the sign-in that an erasure asks for', async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  });
  expect(await screenMarkup(PrivacyScreen, new QueryClient())).not.toMatch(/Blue Fig|ann@/);
  keepDraft('former-customers', { search: 'Blue Fig' }, { search: '' });
  keepDraft('former-users', { search: 'ann@' }, { search: '' });
  const markup = await screenMarkup(PrivacyScreen, new QueryClient());
  expect(markup).toMatch(/value="Blue Fig".*value="ann@"/s);
});
