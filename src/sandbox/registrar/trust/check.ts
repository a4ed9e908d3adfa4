import { Resolver } from 'node:dns/promises';
import { request } from 'node:http';
import { proofOf } from './dv.ts';
import type { CertificateOrder } from './state.ts';

export interface CheckOptions {
  /** `127.0.0.1:4306`: where the authority looks names up; null where there is no DNS. */
  dnsServer: string | null;
  /** 80 in the world outside. */
  httpPort: number;
}

const failures: Readonly<Record<string, string>> = {
  ENODATA: 'has no such record yet',
  ENOTFOUND: 'does not exist yet',
  ECONNREFUSED: 'is not served: nothing answers there',
  ETIMEDOUT: 'did not answer in time',
  ETIMEOUT: 'did not answer in time',
};

/** Looks for the proof as an authority does. Answers null when it is there, else what was seen instead. */
export async function checkControl(order: CertificateOrder, options: CheckOptions): Promise<string | null> {
  const proof = proofOf(order);
  if (!options.dnsServer) return 'There is no DNS to ask.';
  const resolver = new Resolver({ timeout: 1_500, tries: 1 });
  resolver.setServers([options.dnsServer]);
  try {
    if (order.method === 'DNS') return await checkRecord(resolver, proof);
    if (order.method === 'File') {
      const url = { host: order.domain, path: proof.filePath, port: options.httpPort };
      return await checkFile(resolver, url, proof.fileContent);
    }
    return order.approved ? null : `Nobody at ${order.approver} has approved yet.`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const sought = order.method === 'File' ? `http://${order.domain}${proof.filePath}` : proof.dnsName;
    return `${sought} ${failures[code] ?? `cannot be read (${code})`}`;
  }
}

async function checkRecord(
  resolver: Resolver,
  proof: { dnsName: string; dnsType: 'TXT' | 'CNAME'; dnsValue: string },
): Promise<string | null> {
  const found =
    proof.dnsType === 'TXT'
      ? (await resolver.resolveTxt(proof.dnsName)).map((parts) => parts.join(''))
      : (await resolver.resolveCname(proof.dnsName)).map((name) => name.toLowerCase().replace(/\.$/, ''));
  return found.includes(proof.dnsValue) ? null : `${proof.dnsName} holds ${found.join(', ')}`;
}

async function checkFile(
  resolver: Resolver,
  url: { host: string; path: string; port: number },
  wanted: string,
): Promise<string | null> {
  // BR 3.2.2.4.18: not suitable for wildcards.
  if (url.host.startsWith('*.')) return 'A file cannot prove control of a wildcard name.';
  const [address] = await resolver.resolve4(url.host);
  if (!address) return `${url.host} has no address`;
  const body = await fetchText(address, url);
  return body.trim() === wanted ? null : `http://${url.host}${url.path} holds something else`;
}

/** A plain GET of at most 4 kB to the address that DNS named; redirects are not followed. */
function fetchText(address: string, url: { host: string; path: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: address,
        port: url.port,
        path: url.path,
        headers: { host: url.host },
        timeout: 2_000,
        agent: false,
      },
      (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          reject(Object.assign(new Error('status'), { code: `HTTP ${response.statusCode}` }));
          return;
        }
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > 4_096) call.destroy();
        });
        response.on('end', () => resolve(text));
      },
    );
    call.on('timeout', () => call.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    call.on('error', reject);
    call.end();
  });
}
