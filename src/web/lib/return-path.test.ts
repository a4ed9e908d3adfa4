import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepReturnPath, peekReturnPath, safeReturnPath, takeReturnPath } from './return-path.ts';

describe('return paths', () => {
  test.each([
    '/',
    '/cart',
    '/customers/0190a7d2-0000-7000-8000-000000000000/profile',
    '/domains?name=acme.com&picked=my-acme.com',
    '/domain/list?page=3&sort=-expireDate#row',
    '/search?next=https%3A%2F%2Fevil.example',
  ])('%s is kept as it is', (path) => {
    expect(safeReturnPath(path)).toBe(path);
  });

  test.each([
    '',
    'cart',
    'https://evil.example/',
    'http:evil.example',
    'HTTPS://evil.example',
    '//evil.example',
    '///evil.example',
    '////evil.example/%2f..',
    '/\\evil.example',
    '\\/evil.example',
    '\\\\evil.example',
    '/\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    ' /cart',
    '/\u0000/evil.example',
    '/cart\\..\\..\\evil',
    'javascript:alert(1)',
    'javascript://evil.example/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'blob:https://evil.example/1',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '@evil.example',
    'evil.example/cart',
    '/auth/callback?code=1&state=2',
    '/auth/silent-callback.html',
    `/${'a'.repeat(2_000)}`,
  ])('%j leads nowhere', (path) => {
    expect(safeReturnPath(path)).toBeNull();
  });

  test('whatever is kept stays on this site', () => {
    const pieces = ['/', '\\', '.', '..', '//', '\t', '@', ':', 'evil.example', '?', '#', '%2f', ' '];
    for (const a of pieces) {
      for (const b of pieces) {
        for (const c of pieces) {
          const kept = safeReturnPath(`/${a}${b}${c}evil.example`);
          if (kept !== null) expect(new URL(kept, 'https://portal.example').host).toBe('portal.example');
        }
      }
    }
  });
});

describe('the way back that a tab keeps', () => {
  beforeEach(() => {
    const kept = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
      removeItem: (name: string) => void kept.delete(name),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  test('is looked at as often as need be, and taken once', () => {
    keepReturnPath('/cart');
    expect([peekReturnPath(), peekReturnPath(), takeReturnPath(), takeReturnPath()]).toEqual([
      ...['/cart', '/cart', '/cart', null],
    ]);
  });

  test.each(['/', '//evil.example', ''])('is none after %j, whatever it was before', (path) => {
    keepReturnPath('/cart');
    keepReturnPath(path);
    expect(takeReturnPath()).toBeNull();
  });

  test('leads nowhere else, also where something else has written it', () => {
    sessionStorage.setItem('nameward.return-path', '//evil.example');
    expect([peekReturnPath(), takeReturnPath()]).toEqual([null, null]);
  });
});
