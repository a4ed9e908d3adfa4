import { createHttpClient, type HttpClient, HttpFailure } from '#kernel/http-client.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Rdap } from '../../ports/rdap.ts';
import { readRegistration, readServices } from './reading.ts';

export interface RdapOptions {
  /** The list of all servers: IANA's, or a copy. */
  bootstrapUrl: string;
}

/** The list changes a few times a month (checked 2026-11-23). */
const listKeptMs = 24 * 3_600_000;
/** A list that could not be read is not asked for again at once. */
const failureKeptMs = 60_000;
const limits = {
  ...{ timeoutMs: 8_000, connectTimeoutMs: 5_000 },
  ...{ maxResponseBytes: 2_000_000, maxConnections: 4 },
};

/** RDAP servers of registries. Only those that the list names are connected to; redirects are not followed. */
export function createRdap({ bootstrapUrl }: RdapOptions): Rdap {
  const clients = new Map<string, HttpClient>();
  const home = new URL(bootstrapUrl).origin;
  let list: { until: number; services: Promise<Map<string, string[]>> } | null = null;

  async function read(url: string): Promise<{ status: number; body: unknown }> {
    const { origin } = new URL(url);
    const client = clients.get(origin) ?? createHttpClient({ allowedOrigins: [origin], ...limits });
    clients.set(origin, client);
    try {
      const { status, body } = await client.request({
        ...{ url, method: 'GET' as const },
        headers: { accept: 'application/rdap+json, application/json' },
      });
      return { status, body: status === 200 ? JSON.parse(body.toString('utf8')) : null };
    } catch (error) {
      if (error instanceof HttpFailure || error instanceof SyntaxError) throw unavailable(url, error);
      throw error;
    }
  }

  function services(): Promise<Map<string, string[]>> {
    const now = performance.now();
    if (list && now < list.until) return list.services;
    const asked = read(bootstrapUrl).then(({ status, body }) => {
      if (status !== 200) throw unavailable(bootstrapUrl, status);
      return parsed(bootstrapUrl, () => readServices(body));
    });
    const kept = { until: now + listKeptMs, services: asked };
    asked.catch(() => {
      kept.until = now + failureKeptMs;
    });
    list = kept;
    return asked;
  }

  /** A server by HTTPS; without it only the one that hands out the list. */
  async function serverOf(domain: string): Promise<string> {
    const known = await services();
    const labels = domain.split('.');
    for (let from = 1; from < labels.length; from += 1) {
      const urls = known.get(labels.slice(from).join('.')) ?? [];
      const fit = urls.find(
        (url) => URL.canParse(url) && (new URL(url).protocol === 'https:' || new URL(url).origin === home),
      );
      if (fit) return fit.endsWith('/') ? fit : `${fit}/`;
    }
    throw new UpstreamUnavailable(`rdap: ${domain}: its suffix has no server`);
  }

  return {
    async registration(domain) {
      const url = `${await serverOf(domain)}domain/${encodeURIComponent(domain)}`;
      const { status, body } = await read(url);
      if (status === 404) return null;
      if (status !== 200) throw unavailable(url, status);
      const registration = parsed(url, () => readRegistration(body));
      if (registration.name !== domain) throw unavailable(url, `it is about ${registration.name}`);
      return registration;
    },
  };
}

const unavailable = (url: string, cause: unknown) =>
  new UpstreamUnavailable(`rdap: ${url}`, {
    cause: cause instanceof Error ? cause : new Error(String(cause)),
  });

function parsed<T>(url: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw unavailable(url, error);
  }
}
