import { afterEach, describe, expect, test } from 'vitest';
import { no, ok, type ScriptedServer, startScripted } from './testing/scripted-server.ts';

/** Settings and certificates: what the registrar says inside a good reply, and what it is asked besides. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args);
  return server;
}

describe('the details of a reply count before its code', () => {
  const detail = (code: string, success: string, text = '') => ({
    details: { 'a.com': { response_code: code, is_success: success, response_text: text } },
  });
  test.each([
    ['200', '1', 'done'],
    ['220', '0', 'done'],
    ['465', '0', 'refused'],
    ['437', '0', 'busy'],
    ['705', '0', 'unknown'],
  ])('%s/%s inside a success is %s', async (code, success, kind) => {
    const { registrar } = await start(() => ok(detail(code, success, 'what it says')));
    expect((await registrar.setAutoRenew('a.com', true)).kind).toBe(kind);
  });

  test('never more than the one domain is changed', async () => {
    const { registrar, seen } = await start(() => ok());
    await registrar.setLock('a.com', true);
    await registrar.setAutoRenew('a.com', false);
    await registrar.setPrivacy('a.com', true);
    expect(seen.map(({ attributes }) => attributes)).toEqual([
      { domain: 'a.com', affect_domains: '0', data: 'status', lock_state: '1' },
      { domain: 'a.com', affect_domains: '0', data: 'expire_action', auto_renew: '0', let_expire: '1' },
      { domain: 'a.com', affect_domains: '0', data: 'whois_privacy_state', state: 'enable' },
    ]);
  });
});

describe('nameservers the registry has not heard of', () => {
  const unheardOf = no('480', 'Unable to locate nameserver ns1.x.de');
  test('are made known to it, and assigned then', async () => {
    const { registrar, seen } = await start((_request, count) => (count === 1 ? unheardOf : ok()));
    expect((await registrar.setNameservers('a.com', ['ns1.x.de', 'ns2.x.com'])).kind).toBe('done');
    expect(seen.map(({ action }) => action)).toEqual([
      'ADVANCED_UPDATE_NAMESERVERS',
      'REGISTRY_ADD_NS',
      'ADVANCED_UPDATE_NAMESERVERS',
    ]);
    expect(seen[1]?.attributes).toEqual({ fqdn: 'ns1.x.de', tld: '.com', all: '0' });
  });
  test('are refused with the registry’s words quoted when it does not take them', async () => {
    const { registrar, seen } = await start((_request, count) => (count === 1 ? unheardOf : no('465', 'no')));
    expect(await registrar.setNameservers('a.com', ['ns1.x.de', 'ns2.x.com'])).toMatchObject({
      kind: 'refused',
      code: '480',
      text: 'The registrar does not have this. It says: “Unable to locate nameserver ns1.x.de”',
    });
    expect(seen).toHaveLength(2);
  });
});

describe('a certificate order', () => {
  const base = { order_id: '5', domain: 'WWW.a.com', product_type: 'rapidssl', state: 'awaiting-approval' };
  const order = async (more: Parameters<typeof ok>[0]) => {
    const { registrar } = await start(() => ok({ ...base, ...more }));
    return registrar.certificateOrder('5');
  };

  test('tells what the authority wants to see in the DNS, in either shape', async () => {
    const wanted = { method: 'DNS', dnsName: '_x.a.com', dnsType: 'CNAME', dnsValue: 'y.ca.net' };
    const details = { dns_name: '_x.a.com', dns_type: 'cname', dns_value: 'y.ca.net' };
    expect((await order({ dv_auth_method: 'DNS', dv_auth_details: details }))?.validation).toMatchObject(
      wanted,
    );
    await server?.close();
    expect((await order({ dv_auth_details: [{ ...details, method: 'dns' }] }))?.validation).toMatchObject(
      wanted,
    );
  });

  test('has its notes, its approver and its name in lower case', async () => {
    const found = await order({
      approver_email: 'admin@a.com',
      notes_list: [{ date: '2026-01-02 03:04:05', type: 'x', note: 'waiting\nfor approval' }, { note: '' }],
    });
    expect(found).toMatchObject({
      domain: 'www.a.com',
      approverEmail: 'admin@a.com',
      notes: [{ at: new Date('2026-01-02T03:04:05Z'), text: 'waiting for approval' }],
      productId: null,
      validation: null,
      tag: null,
    });
  });

  test('is changed, reminded of and cancelled by its number', async () => {
    const { registrar, seen } = await start(() => ok({ order_id: '5' }));
    expect((await registrar.setCertificateValidation('5', 'Email', 'admin@a.com')).kind).toBe('done');
    expect((await registrar.resendApproval('5')).kind).toBe('done');
    expect((await registrar.cancelCertificateOrder('5')).kind).toBe('done');
    expect(seen.map(({ action, object }) => `${action} ${object}`)).toEqual([
      'UPDATE_DV_AUTH TRUST_SERVICE',
      'RESEND_APPROVE_EMAIL TRUST_SERVICE',
      'CANCEL_ORDER TRUST_SERVICE',
    ]);
    expect(seen[0]?.attributes).toEqual({
      order_id: '5',
      dv_auth_method: 'Email',
      approver_email: 'admin@a.com',
    });
  });

  test('of an unknown number is none', async () => {
    const { registrar } = await start(() => no('480', 'Order not found'));
    expect(await registrar.certificateOrder('5')).toBeNull();
  });

  test('a signing request is read; what it does not say is null', async () => {
    const { registrar } = await start(() =>
      ok({ csr_data: { domain: 'www.a.com', organization: 'A Ltd', locality: '', has_bad_extensions: '0' } }),
    );
    expect(await registrar.parseCsr('x', 'rapidssl')).toEqual({
      domain: 'www.a.com',
      organization: 'A Ltd',
      organizationUnit: null,
      state: null,
      locality: null,
      email: null,
      country: null,
      hasBadExtensions: false,
    });
  });
});
