import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from './acme-stand.ts';

/** Debian's ACME clients as they are packaged, each with a folder of its own. */

export interface Ran {
  ok: boolean;
  /** All that it printed. */
  text: string;
}

export interface Issued {
  keyPem: string;
  chainPem: string;
}

export interface Client {
  name: string;
  /** Registers where there is no account yet, and asks for a certificate. */
  issue(names: readonly string[]): Promise<Ran>;
  /** Asks for the next one, though the present one would do for long. */
  renew(names: readonly string[]): Promise<Ran>;
  revoke(names: readonly string[]): Promise<Ran>;
  read(names: readonly string[]): Issued;
}

export interface ClientPlace {
  dir: string;
  directory: string;
  access: Access;
  key: 'rsa' | 'ec';
}

function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...process.env, HOME: cwd } }, (error, stdout, stderr) =>
      resolve({ ok: error === null, text: `${stdout}${stderr}` }),
    );
  });
}

const email = 'admin@example.com';
const first = (names: readonly string[]) => names[0] ?? '';
const read = (path: string) => readFileSync(path, 'utf8');

function certbot({ dir, directory, access, key }: ClientPlace): Client {
  const common = [
    ...['--non-interactive', '--config-dir', join(dir, 'config'), '--work-dir', join(dir, 'work')],
    ...['--logs-dir', join(dir, 'logs'), '--server', directory],
  ];
  const live = (names: readonly string[]) => join(dir, 'config/live', first(names).replace('*.', ''));
  const issue = async (names: readonly string[], ...more: string[]): Promise<Ran> => {
    const ran = await run(
      'certbot',
      [
        ...['certonly', ...common, '--agree-tos', '--email', email, '--no-eff-email'],
        ...['--eab-kid', access.keyId, '--eab-hmac-key', access.key],
        // Nothing has to be proven to the portal; the plug-in is there because certbot wants one.
        ...['--manual', '--preferred-challenges', 'dns', '--manual-auth-hook', '/bin/true'],
        ...['--key-type', key === 'ec' ? 'ecdsa' : 'rsa', '--rsa-key-size', '2048', ...more],
        ...names.flatMap((name) => ['-d', name]),
      ],
      dir,
    );
    // With Python 3.11, certbot 2.1.0 says only "can't set attribute" for every error of an order, by whatever server. It
    // names its log, and that has the server's words.
    return ran.ok ? ran : { ...ran, text: ran.text + read(join(dir, 'logs/letsencrypt.log')) };
  };
  return {
    name: 'certbot',
    issue: (names) => issue(names),
    renew: (names) => issue(names, '--force-renewal'),
    revoke: (names) =>
      run(
        'certbot',
        ['revoke', ...common, '--cert-path', join(live(names), 'cert.pem'), '--no-delete-after-revoke'],
        dir,
      ),
    read: (names) => ({
      keyPem: read(join(live(names), 'privkey.pem')),
      chainPem: read(join(live(names), 'fullchain.pem')),
    }),
  };
}

function lego({ dir, directory, access, key }: ClientPlace): Client {
  const lego = (names: readonly string[], ...command: string[]) =>
    run(
      'lego',
      [
        ...['--server', directory, '--accept-tos', '--email', email, '--path', dir, '--http'],
        ...['--cert.timeout', '120'],
        ...['--eab', '--kid', access.keyId, '--hmac', access.key],
        ...['--key-type', key === 'ec' ? 'ec256' : 'rsa2048'],
        ...names.flatMap((name) => ['-d', name]),
        ...command,
      ],
      dir,
    );
  const file = (names: readonly string[], ending: string) =>
    join(dir, 'certificates', `${first(names).replace('*', '_')}.${ending}`);
  return {
    name: 'lego',
    issue: (names) => lego(names, 'run'),
    renew: (names) => lego(names, 'renew', '--days', '9999', '--no-random-sleep'),
    revoke: (names) => lego(names, 'revoke', '--keep'),
    read: (names) => ({ keyPem: read(file(names, 'key')), chainPem: read(file(names, 'crt')) }),
  };
}

function uacme({ dir, directory, access, key }: ClientPlace): Client {
  const common = ['-v', '-y', '-c', dir, '-a', directory, '-t', key === 'ec' ? 'EC' : 'RSA'];
  const uacme = (...more: string[]) => run('uacme', [...common, ...more], dir);
  const live = (names: readonly string[]) => first(names).replace('*.', '');
  let registered = false;
  async function issue(names: readonly string[], ...more: string[]): Promise<Ran> {
    if (!registered) {
      const account = await uacme('-e', `${access.keyId}:${access.key}`, 'new', email);
      if (!account.ok) return account;
      registered = true;
    }
    return uacme(...more, 'issue', ...names);
  }
  return {
    name: 'uacme',
    issue: (names) => issue(names),
    renew: (names) => issue(names, '-f'),
    revoke: (names) => uacme('revoke', join(dir, live(names), 'cert.pem')),
    read: (names) => ({
      keyPem: read(join(dir, 'private', live(names), 'key.pem')),
      chainPem: read(join(dir, live(names), 'cert.pem')),
    }),
  };
}

function dehydrated({ dir, directory, access, key }: ClientPlace): Client {
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, 'config'),
    [
      ...[`CA="${directory}"`, `BASEDIR="${dir}"`, `CERTDIR="${dir}/certs"`, `CONTACT_EMAIL=${email}`],
      ...[`EAB_KID="${access.keyId}"`, `EAB_HMAC_KEY="${access.key}"`, 'CHALLENGETYPE="dns-01"'],
      ...[`HOOK="${dir}/hook"`, `KEY_ALGO=${key === 'ec' ? 'secp384r1' : 'rsa'}`, 'KEYSIZE=2048', ''],
    ].join('\n'),
  );
  writeFileSync(join(dir, 'hook'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const alias = (names: readonly string[]) => first(names).replace('*.', 'star_');
  const dehydrated = (...args: string[]) => run('dehydrated', ['-f', join(dir, 'config'), ...args], dir);
  async function issue(names: readonly string[], ...more: string[]): Promise<Ran> {
    const account = await dehydrated('--register', '--accept-terms');
    if (!account.ok) return account;
    return dehydrated('-c', '--domain', names.join(' '), '--alias', alias(names), ...more);
  }
  const file = (names: readonly string[], name: string) => join(dir, 'certs', alias(names), name);
  return {
    name: 'dehydrated',
    issue: (names) => issue(names),
    renew: (names) => issue(names, '--force'),
    revoke: (names) => dehydrated('-r', file(names, 'cert.pem')),
    read: (names) => ({
      keyPem: read(file(names, 'privkey.pem')),
      chainPem: read(file(names, 'fullchain.pem')),
    }),
  };
}

export const clients = { certbot, lego, uacme, dehydrated } as const;
export type ClientName = keyof typeof clients;

/** Those that are on this machine: `npm test` installs them where it can, and leaves out what is missing. */
export const installedClients = (Object.keys(clients) as ClientName[]).filter(
  (name) => spawnSync(name, ['--version']).error === undefined,
);
