import { describe, expect, test } from 'vitest';
import { looksLikeConnect, readDomainConnect } from './domain-connect.ts';

const read = (records: object[], more: object = {}) =>
  readDomainConnect(JSON.stringify({ providerName: 'Post & Co', serviceName: 'Mail', records, ...more }));
const recordsOf = (...records: object[]) => {
  const reading = read(records);
  return reading.ok ? reading.template.records : reading.message;
};

/** As published templates look. */
const mailService = {
  ...{ providerId: 'post.example', providerName: 'Post', serviceId: 'mail', serviceName: 'Mail', version: 3 },
  ...{
    description: 'Mail by Post',
    variableDescription: 'verify: the text of the proof; DKIM-Key: the public key',
  },
  ...{ syncBlock: false, syncPubKeyDomain: 'post.example' },
  records: [
    { type: 'TXT', host: '@', data: 'post-verify=%verify%', ttl: 3600, txtConflictMatchingMode: 'Prefix' },
    { type: 'MX', host: '@', pointsTo: 'in1.%fqdn%.post.example', priority: 10, ttl: 3600 },
    { type: 'MX', host: '@', pointsTo: 'in2.post.example.', priority: '20', ttl: 3600 },
    { type: 'SPFM', host: '@', spfRules: 'include:spf.post.example' },
    { type: 'TXT', host: 'p1._domainkey', data: 'v=DKIM1; p=%DKIM-Key%', ttl: 3600 },
    { type: 'CNAME', host: 'autoconfig', pointsTo: 'autoconfig.post.example', ttl: 3600 },
    {
      type: 'SRV',
      name: '@',
      service: '_imaps',
      protocol: '_tcp',
      target: 'imap.post.example',
      priority: 0,
      weight: 1,
      port: 993,
    },
    { type: 'REDIR301', host: 'webmail', target: 'https://post.example' },
  ],
};

test('a public template is read with its variables; what has no equal here is said', () => {
  const reading = readDomainConnect(JSON.stringify(mailService));
  expect(reading).toEqual({
    ok: true,
    template: {
      name: 'Post Mail',
      records: [
        { type: 'TXT', subdomain: '', text: 'post-verify={verify}' },
        { type: 'MX', subdomain: '', hostname: 'in1.{domain}.post.example', priority: 10 },
        { type: 'MX', subdomain: '', hostname: 'in2.post.example', priority: 20 },
        { type: 'TXT', subdomain: '', text: 'v=spf1 include:spf.post.example ~all' },
        { type: 'TXT', subdomain: 'p1._domainkey', text: 'v=DKIM1; p={dkim_key}' },
        { type: 'CNAME', subdomain: 'autoconfig', hostname: 'autoconfig.post.example' },
        {
          type: 'SRV',
          subdomain: '_imaps._tcp',
          hostname: 'imap.post.example',
          priority: 0,
          weight: 1,
          port: 993,
        },
      ],
      variables: [
        { key: 'verify', label: 'the text of the proof' },
        { key: 'dkim_key', label: 'dkim_key' },
      ],
      notes: [
        'REDIR301 is not known here and was left out.',
        expect.stringContaining('Its SPF rules become an SPF record of their own'),
      ],
    },
  });
});

describe('names', () => {
  test('are the domain itself, a host, or a host with the domain behind it', () => {
    const hosts = ['@', '', '%domain%', '%fqdn%.', '%host%', ' www ', 'www.%domain%', 'www.@'];
    const records = recordsOf(...hosts.map((host) => ({ type: 'A', host, pointsTo: '192.0.2.1' })));
    const names = ['', '', '', '', '', 'www', 'www', 'www'];
    expect(records).toMatchObject(names.map((subdomain) => ({ subdomain })));
  });

  test('that lead to the domain itself say so', () => {
    expect(recordsOf({ type: 'CNAME', host: 'www', pointsTo: '@' })).toMatchObject([
      { hostname: '{domain}' },
    ]);
  });

  test('of a service get their underscores, below its host', () => {
    const service = { type: 'srv', host: 'eu', service: 'sip', protocol: 'TCP', target: 'sip.post.example' };
    expect(recordsOf({ ...service, priority: 1, weight: 2, port: 5061 })).toMatchObject([
      { subdomain: '_sip._tcp.eu', hostname: 'sip.post.example' },
    ]);
  });
});

test('addresses of both kinds are read, and the largest priority', () => {
  const mx = { type: 'MX', host: '@', pointsTo: 'a.example' };
  expect(
    recordsOf(
      { type: 'A', host: '@', pointsTo: '192.0.2.1' },
      { type: 'AAAA', host: '@', pointsTo: '2001:db8::1' },
      { ...mx, priority: 65_535 },
    ),
  ).toEqual([
    { type: 'A', subdomain: '', ip_address: '192.0.2.1' },
    { type: 'AAAA', subdomain: '', ipv6_address: '2001:db8::1' },
    { type: 'MX', subdomain: '', hostname: 'a.example', priority: 65_535 },
  ]);
});

const sound = { type: 'A', host: '@', pointsTo: '192.0.2.1' };
const templateOf = (records: unknown[], more: object = {}) => {
  const reading = read(records as object[], more);
  return reading.ok ? reading.template : null;
};

test.each(['service', 'protocol', 'target', 'priority', 'weight', 'port'])(
  'a service without its %s is left out',
  (part) => {
    const service = { service: 'sip', protocol: 'tcp', target: 'a.example', priority: 1, weight: 2, port: 3 };
    const template = templateOf([sound, { type: 'SRV', ...service, [part]: '' }]);
    expect([template?.records.length, template?.notes.length]).toEqual([1, 1]);
  },
);

test('what is no record at all is said', () => {
  const note = 'One entry is no record and was left out.';
  expect(templateOf([sound, null, 'A'])?.notes).toEqual([note, note]);
});

test('a template for a host below the domain says so', () => {
  const notes = (more: object) => templateOf([sound], more)?.notes;
  expect(notes({ hostRequired: true })).toEqual([
    'It is meant for a host below the domain: put that host before its names.',
  ]);
  expect(notes({ hostRequired: false })).toEqual([]);
});

test('a template is called by provider and service, as far as there are names, in 60 characters', () => {
  const name = (more: object) => templateOf([sound], more)?.name;
  expect([name({}), name({ serviceName: undefined }), name({ providerName: ' ' })]).toEqual([
    ...['Post & Co Mail', 'Post & Co', 'Mail'],
  ]);
  expect(name({ serviceName: 'x'.repeat(60) })).toHaveLength(60);
});

test('a variable is called as the template describes it, in 80 characters', () => {
  const label = (variableDescription: string) =>
    templateOf([{ type: 'TXT', host: '@', data: '%key%' }], { variableDescription })?.variables[0]?.label;
  expect(label('other: x;  Key : the proof: a text')).toBe('the proof: a text');
  expect(label('keys; key: the proof')).toBe('the proof');
  expect(label(`key: ${'x'.repeat(90)}`)).toBe('x'.repeat(80));
  expect(label('key:')).toBe('key');
});

test('a record without what it needs is left out, and said', () => {
  const faulty = [
    ...[
      { type: 'A', host: '@' },
      { type: 'MX', host: '@', pointsTo: 'a.example', priority: '%p%' },
      null,
      'A',
    ],
    ...[
      { type: 'TXT', host: '@' },
      { type: 'SRV', host: '@', target: 'a.example' },
      { type: 'NS', host: 'x' },
      {},
    ],
    { type: 'MX', host: '@', pointsTo: 'a.example', priority: 65_536 },
  ];
  const reading = read([sound, ...(faulty as object[])]);
  expect(reading.ok && reading.template.records).toHaveLength(1);
  expect(reading.ok && reading.template.notes).toHaveLength(faulty.length);
});

test('what is no template says why', () => {
  const message = (text: string) => {
    const reading = readDomainConnect(text);
    return reading.ok ? 'ok' : reading.message;
  };
  expect(message('{"records": [')).toBe('This is not a JSON object.');
  expect([message('[]'), message('"x"')]).toEqual(Array(2).fill('This is not a JSON object.'));
  expect(message('{}')).toBe('This template has no list of records.');
  expect(message('{"records": []}')).toBe('None of its records can be used here.');
  expect(message(JSON.stringify({ records: Array(201).fill({}) }))).toContain('at most 200');
  expect(message('x'.repeat(200_001))).toContain('too long');
  const most = JSON.stringify({ records: Array(200).fill(sound) });
  expect(message(most.padEnd(200_000))).toBe('ok');
  expect([looksLikeConnect('  {"a": 1}'), looksLikeConnect('@ A 192.0.2.1')]).toEqual([true, false]);
});
