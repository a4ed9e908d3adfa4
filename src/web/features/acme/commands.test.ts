import { describe, expect, test } from 'vitest';
import { guidesFor, keyPlaceholder } from './commands.ts';

const setup = {
  directoryUrl: 'https://portal.example/acme/directory',
  keyId: 'nwe_AbC-1',
  hmacKey: 'kEy_-9',
  host: 'www.example.com',
};
const textOf = (id: string, change: Partial<typeof setup> | { hmacKey: null } = {}) =>
  guidesFor({ ...setup, ...change })
    .find((guide) => guide.id === id)
    ?.blocks.map(({ text }) => text)
    .join('\n') ?? '';

test('each client that is asked about is there', () => {
  expect(guidesFor(setup).map(({ id }) => id)).toEqual([
    ...['certbot', 'lego', 'acme.sh', 'caddy', 'traefik', 'win-acme', 'cert-manager', 'uacme', 'dehydrated'],
  ]);
});

describe.each(guidesFor(setup).map(({ id }) => id))('%s', (id) => {
  test('has the address, the key id, the key and the name filled in', () => {
    const missing = Object.values(setup).filter((value) => !textOf(id).includes(value));
    expect(missing).toEqual([]);
  });

  test('has a place for the key once it is not shown any more', () => {
    const text = textOf(id, { hmacKey: null });
    expect(text).toContain(keyPlaceholder);
    expect(text).not.toContain('null');
  });
});

test('a shell reads a wildcard as it is, and not as names of files', () => {
  for (const id of ['certbot', 'lego', 'acme.sh', 'uacme']) {
    expect([id, textOf(id, { host: '*.example.com' })]).toEqual([
      id,
      expect.stringContaining("'*.example.com'"),
    ]);
  }
  // A folder of this name could not be made.
  expect(textOf('dehydrated', { host: '*.example.com' })).toContain('*.example.com > example.com');
});

test('the key goes to the option that takes it', () => {
  expect(textOf('certbot')).toContain('--eab-kid nwe_AbC-1 \\\n  --eab-hmac-key kEy_-9');
  expect(textOf('lego')).toMatch(/--eab \\\n {2}--kid nwe_AbC-1 \\\n {2}--hmac kEy_-9 \\\n {2}run/);
  expect(textOf('uacme')).toContain('-e nwe_AbC-1:kEy_-9 new');
  expect(textOf('dehydrated')).toContain('EAB_KID="nwe_AbC-1"\nEAB_HMAC_KEY="kEy_-9"');
  expect(textOf('win-acme')).toContain('--eab-key-identifier nwe_AbC-1 --eab-key kEy_-9');
});
