import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openAccount } from '../support/account.ts';
import {
  type Client,
  type ClientName,
  clients,
  type Issued,
  installedClients,
} from '../support/acme-clients.ts';
import { type Access, type AcmeStand, newHmacKey, startAcmeStand } from '../support/acme-stand.ts';
import { inTurn } from '../support/turn.ts';

/** Debian's unmodified clients against the portal as a process: what people run, and what they read when it fails. */
let stand: AcmeStand;
const dir = mkdtempSync(join(tmpdir(), 'acme-clients-'));
beforeAll(async () => {
  stand = await startAcmeStand();
});
afterAll(async () => {
  await stand[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

let places = 0;
function client(name: ClientName, access: Access, key: 'rsa' | 'ec' = 'ec'): Client {
  places += 1;
  const own = join(dir, `${name}-${places}`);
  mkdirSync(own);
  return clients[name]({ dir: own, directory: stand.directory, access, key });
}

/** Fails with all that client and portal said. */
async function succeed(ran: Promise<{ ok: boolean; text: string }>): Promise<string> {
  const { ok, text } = await ran;
  if (!ok) throw new Error(`${text}\n${stand.stack.log()}`);
  return text;
}

/** The name that a TLS server with this certificate proves to somebody who trusts the sandbox's root alone. */
function servedName({ keyPem, chainPem }: Issued, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer({ key: keyPem, cert: chainPem }, (socket) => socket.end());
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      const socket = connect({ host: '127.0.0.1', port, servername: name, ca: stand.root }, () => {
        const { subjectaltname = '' } = socket.getPeerCertificate();
        socket.destroy();
        server.close(() => resolve(subjectaltname));
      });
      socket.once('error', (error) => server.close(() => reject(error)));
    });
  });
}

const serialOf = ({ chainPem }: Issued) => new X509Certificate(chainPem).serialNumber.toLowerCase();

const purchasesOf = (name: string) =>
  stand.stack.database.systemDb
    .selectFrom('order_items')
    .select(['state', 'price_cents'])
    .where('kind', '=', 'certificate')
    .where('address', '=', name)
    .execute();

async function stateOf(names: readonly string[]): Promise<string | undefined> {
  const address = names
    .map((name) => name.replace('*.', ''))
    .sort((one, other) => one.length - other.length)[0];
  const found = await stand.stack.database.systemDb
    .selectFrom('certificates')
    .select('state')
    .where('address', '=', address ?? '')
    .executeTakeFirst();
  return found?.state;
}

/** What is asked for in one certificate, and the product that covers it. */
const sets: Record<string, { product: string; names: (domain: string) => string[] }> = {
  'a single name': { product: 'rapidssl', names: (domain) => [`shop.${domain}`] },
  'a name with its www': { product: 'rapidssl', names: (domain) => [domain, `www.${domain}`] },
  'a wildcard': { product: 'rapidssl_wildcard', names: (domain) => [`*.${domain}`, domain] },
};
const keys = ['ec', 'rsa'] as const;

interface Case {
  program: ClientName;
  set: string;
  key: 'ec' | 'rsa';
}

/** Each client with each set of names, and with both kinds of keys; with `ACME_ALL=1` each set with both of them. */
const cases: Case[] = installedClients.flatMap((program, nth) =>
  Object.keys(sets).flatMap((set, index) =>
    keys
      .filter((_, which) => process.env.ACME_ALL || (nth + index) % keys.length === which)
      .map((key) => ({ program, set, key })),
  ),
);

describe.concurrent('from registration to revocation', () => {
  test.for(inTurn(cases))('$program: $set ($key)', async ({ program, set, key }, { expect }) => {
    const { product = '', names: namesOf = () => [] } = sets[set] ?? {};
    const domain = await stand.domain(program);
    const names = namesOf(domain);
    const own = client(program, await stand.access({ product }), key);

    await succeed(own.issue(names));
    const issued = own.read(names);
    // A client that trusts the authority's root alone takes it for each of the names.
    const hosts = names.map((name) => name.replace('*', 'mail'));
    for (const host of hosts) {
      expect((await servedName(issued, host)).split(', ').sort()).toEqual(
        names.map((name) => `DNS:${name}`).sort(),
      );
    }
    expect(new X509Certificate(issued.chainPem).publicKey.asymmetricKeyType).toBe(key);

    await succeed(own.renew(names));
    const renewed = own.read(names);
    expect(serialOf(renewed)).not.toBe(serialOf(issued));
    for (const host of hosts) await servedName(renewed, host);
    // The renewal was a reissue inside the paid term.
    expect(await purchasesOf(names[0]?.replace('*.', '') ?? '')).toMatchObject([{ state: 'succeeded' }]);

    await succeed(own.revoke(names));
    expect(await stateOf(names)).toBe('revoked');
  });
});

/** What goes wrong, and a part of the sentence that the client prints. */
const failures: Record<
  string,
  { sentence: RegExp; ask(program: ClientName): Promise<{ ok: boolean; text: string }> }
> = {
  'a wrong EAB key': {
    sentence: /key id or the key of the external account binding is not right/,
    ask: async (program) => {
      const access = await stand.access();
      const key = newHmacKey();
      return client(program, { ...access, key }).issue(['example.com']);
    },
  },
  'a revoked access': {
    sentence: /This ACME access has been revoked\. Ask the provider/,
    ask: async (program) => client(program, await stand.access({ revoked: true })).issue(['example.com']),
  },
  'a name of somebody else': {
    sentence: /is not among the names of this access\. Ask the provider/,
    ask: async (program) => {
      const other = await openAccount(stand.stack, 100_00);
      const foreign = await stand.domain('foreign', other);
      return client(program, await stand.access()).issue([foreign]);
    },
  },
  'a name whose DNS is elsewhere': {
    sentence: /is not managed by this portal, so it cannot prove control of/,
    ask: async (program) => {
      const domain = await stand.domain('moved');
      const path = `${domain}/nameserver/update_nameservers`;
      const nameservers = ['ns1.elsewhere.net', 'ns2.elsewhere.net'];
      const moved = await stand.stack.call(stand.account.token, 'POST', path, { nameservers });
      if (moved.status !== 200) throw new Error(JSON.stringify(moved.body));
      return client(program, await stand.access()).issue([domain]);
    },
  },
  'an empty balance': {
    sentence: /prepaid balance of your provider does not cover it/,
    ask: async (program) => {
      // Enough for the domain, and not for the certificate.
      const poor = await openAccount(stand.stack, 20_00);
      const domain = await stand.domain('poor', poor);
      return client(program, await stand.access({}, poor)).issue([domain]);
    },
  },
  'a reached limit': {
    sentence: /would cost more than this access may still spend this month\. Ask the provider/,
    ask: async (program) => {
      const access = await stand.access({ limits: { orders: 5, cents: 1_00 } });
      return client(program, access).issue([await stand.domain('limit')]);
    },
  },
};

describe.concurrent('what a person reads when it fails', () => {
  for (const [what, { sentence, ask }] of Object.entries(failures)) {
    test.for(inTurn(installedClients))(`${what}: %s prints our sentence`, async (program, { expect }) => {
      const { ok, text } = await ask(program);
      expect(ok, text).toBe(false);
      // Clients break lines and escape quotes; the words stay.
      expect(text.replace(/\s+/g, ' ')).toMatch(sentence);
    });
  }
});
