import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import type { Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ParsedCsr } from '../../ports/registrar.ts';
import { createCsrParsing } from './csr-parsing.ts';

const scope = { organisationId: 'msp-1' } as Scope;
const request = (subject: string) =>
  execFileSync(
    'openssl',
    [
      ...['req', '-new', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      ...['-keyout', '/dev/null', '-subj', subject],
    ],
    { stdio: 'pipe' },
  ).toString();
let plain: string;
let whole: string;
beforeAll(() => {
  plain = request('/CN=acme.com');
  whole = request('/C=US/ST=New York/L=Albany/O=Acme Ltd/OU=IT/CN=acme.com/emailAddress=it@acme.com');
});

const silent: ParsedCsr = {
  ...{ domain: null, organization: null, organizationUnit: null, state: null, locality: null },
  ...{ email: null, country: null, hasBadExtensions: false },
};
const own = {
  ...{ domain: 'acme.com', organization: 'Acme Ltd', organization_unit: 'IT', state: 'New York' },
  ...{ locality: 'Albany', email: 'it@acme.com', country: 'US' },
};

/** What is told of a request, and what the registrar was asked about. */
async function parse(
  csr: string,
  answer: ParsedCsr | Error,
  use: { domain?: string; productType?: string; opensrsorderid?: string } = {},
) {
  const asked: unknown[] = [];
  const parseCsr = createCsrParsing(
    {
      pricing: {
        list: async () => [
          { productType: 'rapidssl', wildcard: false },
          { productType: 'wild', wildcard: true },
        ],
      } as never,
      registrar: {
        parseCsr: async (_csr: string, productType: string) => {
          asked.push(productType);
          if (answer instanceof Error) throw answer;
          return answer;
        },
      } as never,
    },
    {
      required: async (_scope: Scope, id: string) => {
        asked.push(`order ${id}`);
        return { product_type: 'wild', address: 'acme.com' } as never;
      },
    },
  );
  const told = await parseCsr(scope, { csr, ...use } as never);
  return { told, asked };
}

test('what the request says of itself is told where the registrar says nothing, and no part that nobody says', async () => {
  expect((await parse(whole, silent)).told).toEqual({ csr_data: own });
  expect((await parse(plain, silent)).told).toEqual({ csr_data: { domain: 'acme.com' } });
});

const named: Partial<ParsedCsr> = {
  ...{ domain: 'www.acme.com', organization: 'Acme Inc', organizationUnit: 'Web', state: 'Ohio' },
  ...{ locality: 'Dayton', email: 'web@acme.com', country: 'CA' },
};

test.each([
  ['domain', 'domain'],
  ['organization', 'organization'],
  ['organizationUnit', 'organization_unit'],
  ['state', 'state'],
  ['locality', 'locality'],
  ['email', 'email'],
  ['country', 'country'],
] as const)('where the registrar names it, its %s counts, and the rest stays', async (part, told) => {
  const answer = { ...silent, [part]: named[part] };
  expect((await parse(whole, answer)).told).toEqual({ csr_data: { ...own, [told]: named[part] } });
  expect((await parse(plain, answer)).told).toEqual({
    csr_data: { domain: 'acme.com', [told]: named[part] },
  });
});

test('the registrar is asked about the product of the order, or else the chosen one, or else a plain one', async () => {
  expect((await parse(plain, silent)).asked).toEqual(['rapidssl']);
  expect((await parse(plain, silent, { productType: 'other' })).asked).toEqual(['other']);
  const wild = request('/CN=*.acme.com');
  const order = { opensrsorderid: '7', productType: 'rapidssl', domain: 'other.com' };
  expect(await parse(wild, silent, order)).toEqual({
    ...{ told: { csr_data: { domain: '*.acme.com' } }, asked: ['order 7', 'wild'] },
  });
});

test('a request for another name, or for another kind of product, is refused before the registrar is asked', async () => {
  const asking = (use: Parameters<typeof parse>[2]) => parse(plain, new Error('not asked'), use);
  for (const use of [
    { domain: 'other.com' },
    { productType: 'wild', domain: 'acme.com' },
    { opensrsorderid: '7' },
  ]) {
    await expect(asking(use)).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'csr' }] },
    });
  }
});

test("the registrar's refusal stands at the field; its silence is told as such, and a mistake of ours as none of its", async () => {
  await expect(parse(plain, new UpstreamRefused('invalid', '465', 'Key too short'))).rejects.toMatchObject({
    ...{ code: 'validation_failed', message: 'Key too short' },
    details: [{ path: 'csr', message: 'Key too short' }],
  });
  await expect(parse(plain, new UpstreamUnavailable('x'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
  await expect(parse(plain, new Error('mistake'))).rejects.toThrow('mistake');
});
