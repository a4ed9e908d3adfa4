import { builtInTemplates } from '#contracts/values/dns-templates.ts';

/**
 * Names below a domain that zones usually have, for zones that nobody gives away whole: what mail, web and office services ask
 * for (checked 2026-11-23), and what our own templates write.
 */
const hosts = [
  ...[
    'www',
    'mail',
    'webmail',
    'smtp',
    'imap',
    'pop',
    'pop3',
    'mx',
    'mx1',
    'mx2',
    'email',
    'exchange',
    'owa',
  ],
  ...['autodiscover', 'autoconfig', 'lyncdiscover', 'sip', 'enterpriseregistration', 'enterpriseenrollment'],
  ...['msoid', 'ftp', 'sftp', 'vpn', 'remote', 'gateway', 'rdp', 'portal', 'intranet', 'extranet', 'citrix'],
  ...['shop', 'store', 'blog', 'news', 'app', 'api', 'dev', 'test', 'staging', 'beta', 'demo', 'old', 'new'],
  ...['m', 'cdn', 'static', 'assets', 'img', 'media', 'files', 'download', 'docs', 'wiki', 'help', 'support'],
  ...['status', 'git', 'crm', 'erp', 'login', 'auth', 'sso', 'cloud', 'server', 'host', 'backup', 'db'],
  ...[
    'ns1',
    'ns2',
    'dns',
    'cpanel',
    'whm',
    'webdisk',
    'admin',
    'monitor',
    'voip',
    'pbx',
    'calendar',
    'mta-sts',
  ],
  ...['em', 'send', 'bounce', 'bounces', 'newsletter', 'links', 'go', 'info', 'jobs', 'pay', 'secure', 'web'],
];

const selectors = [
  ...[
    'default',
    'google',
    'selector1',
    'selector2',
    'dkim',
    'mail',
    'k1',
    'k2',
    'k3',
    's1',
    's2',
    'fm1',
    'fm2',
    'fm3',
  ],
  ...[
    'zoho',
    'mandrill',
    'mxvault',
    'smtp',
    'key1',
    'key2',
    'protonmail',
    'protonmail2',
    'protonmail3',
    'pm',
    'cm',
  ],
  ...['amazonses', 'everlytickey1', 'turbo-smtp', 'sig1', 'm1', 'm2', 'hs1', 'hs2', 'krs', 'x'],
];
const texts = [
  ...[
    '_dmarc',
    '_mta-sts',
    '_smtp._tls',
    '_domainkey',
    '_adsp._domainkey',
    '_github-challenge',
    '_amazonses',
  ],
  ...['_gitlab-pages-verification-code', '_atproto', 'default._bimi'],
  ...selectors.map((selector) => `${selector}._domainkey`),
];
const services = [
  ...['_sip._tls', '_sip._tcp', '_sip._udp', '_sips._tcp', '_sipfederationtls._tcp', '_autodiscover._tcp'],
  ...[
    '_xmpp-client._tcp',
    '_xmpp-server._tcp',
    '_caldav._tcp',
    '_caldavs._tcp',
    '_carddav._tcp',
    '_carddavs._tcp',
  ],
  ...['_imap._tcp', '_imaps._tcp', '_submission._tcp', '_submissions._tcp', '_pop3._tcp', '_pop3s._tcp'],
  ...['_ldap._tcp', '_kerberos._tcp', '_kerberos._udp', '_minecraft._tcp', '_matrix._tcp', '_h323cs._tcp'],
];

const ofTemplates = builtInTemplates.flatMap(({ records }) =>
  records.map(({ subdomain }) => String(subdomain ?? '')),
);

/** Every name once, the domain itself not among them. */
export const usualNames: readonly string[] = [
  ...new Set([...hosts, ...texts, ...services, ...ofTemplates].filter((name) => name !== '')),
];
