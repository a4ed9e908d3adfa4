/**
 * What can be wrong with a domain as the world sees it: each finding with its words, how much it weighs and how sure it is.
 * `server/features/health/health.rules.ts` decides which of them there are.
 */

export const healthAreas = ['delegation', 'mail', 'web', 'certificate', 'registry'] as const;
export type HealthArea = (typeof healthAreas)[number];
export const areaTitles: Readonly<Record<HealthArea, string>> = {
  delegation: 'Delegation',
  mail: 'Mail',
  web: 'Web',
  certificate: 'Certificates',
  registry: 'Registry',
};

/** `bad`: something does not work or can be abused; `warn`: it will; `note`: it could be better. */
export const healthWeights = ['bad', 'warn', 'note'] as const;
export type HealthWeight = (typeof healthWeights)[number];

interface HealthRule {
  area: HealthArea;
  weight: HealthWeight;
  title: string;
  /** What it means for the customer, in one sentence. */
  meaning: string;
  /** What to do. */
  remedy: string;
  /** `likely`: there are rare cases in which it is meant so. */
  certainty: 'sure' | 'likely';
  /** What is said otherwise of a domain that is held elsewhere. */
  elsewhere?: Partial<Record<'title' | 'meaning' | 'remedy', string>>;
}

export const healthFindings = {
  'ns-differs': {
    ...{ area: 'delegation', weight: 'bad', certainty: 'sure' },
    title: 'The registry lists other nameservers',
    meaning: 'Changes made here have no effect, because other nameservers answer for the domain.',
    remedy: 'Set the nameservers on the Info tab again, or ask who changed them at the registry.',
    elsewhere: {
      meaning: 'Some visitors and some mail ask nameservers that are not meant.',
      remedy: 'Ask who holds the domain which nameservers are right.',
    },
  },
  'ns-none': {
    ...{ area: 'delegation', weight: 'bad', certainty: 'sure' },
    title: 'The domain has no nameservers',
    meaning: 'Nobody can reach its website or send it mail.',
    remedy: 'Set at least two nameservers on the Info tab.',
    elsewhere: {
      remedy: 'Ask who holds the domain to set at least two nameservers.',
    },
  },
  'ns-dead': {
    ...{ area: 'delegation', weight: 'bad', certainty: 'sure' },
    title: 'A nameserver has no address',
    meaning: 'Some visitors and some mail do not arrive, because one of its nameservers cannot be reached.',
    remedy: 'Replace that nameserver on the Info tab, or add its glue record.',
    elsewhere: {
      remedy: 'Ask who holds the domain to replace that nameserver, or to add its glue record.',
    },
  },
  'ns-glue': {
    ...{ area: 'delegation', weight: 'bad', certainty: 'sure' },
    title: 'Glue is missing',
    meaning: 'A nameserver that lies inside the domain cannot be found, because nobody knows its address.',
    remedy: 'Add a glue record for it on the Info tab, or replace it.',
    elsewhere: {
      remedy: 'Ask who holds the domain to add its glue record, or to replace the nameserver.',
    },
  },
  'ns-network': {
    ...{ area: 'delegation', weight: 'note', certainty: 'likely' },
    title: 'All nameservers are in one network',
    meaning: 'When that network is away, the website and the mail are away too.',
    remedy: 'Use nameservers in at least two networks.',
  },
  'ns-one': {
    ...{ area: 'delegation', weight: 'warn', certainty: 'sure' },
    title: 'There is only one nameserver',
    meaning: 'When that server is down, so are the website and the mail.',
    remedy: 'Add a second nameserver on the Info tab.',
    elsewhere: {
      remedy: 'Ask who holds the domain to add a second nameserver.',
    },
  },
  'ns-lame': {
    ...{ area: 'delegation', weight: 'bad', certainty: 'sure' },
    title: 'A nameserver does not answer for the domain',
    meaning: 'Some visitors and some mail do not arrive, because one of its nameservers knows nothing of it.',
    remedy: 'Set the domain up at that nameserver, or replace it on the Info tab.',
    elsewhere: {
      remedy: 'Set the domain up at that nameserver, or ask who holds it to replace it.',
    },
  },
  'ns-serials': {
    ...{ area: 'delegation', weight: 'note', certainty: 'likely' },
    title: 'Nameservers have different versions of the zone',
    meaning: 'Changes reach some visitors and not others, if this does not settle by itself.',
    remedy: 'Ask who runs the nameservers why they do not follow each other.',
  },
  'mx-missing': {
    ...{ area: 'mail', weight: 'note', certainty: 'likely' },
    title: 'No MX record',
    meaning: 'Mail to this domain goes to its web server or is refused.',
    remedy: 'Add an MX record, or "0 ." if the domain receives no mail.',
  },
  'mx-dead': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'An MX record points to a host without an address',
    meaning: 'Mail to this domain is delayed or lost, because its mail server has no address.',
    remedy: 'Correct the host of the MX record, or remove the record.',
  },
  'mx-alias': {
    ...{ area: 'mail', weight: 'warn', certainty: 'sure' },
    title: 'An MX record names an alias',
    meaning: 'Some senders refuse to deliver to an alias (RFC 2181, section 10.3).',
    remedy: 'Point the MX record to the host behind the alias.',
  },
  'spf-missing': {
    ...{ area: 'mail', weight: 'warn', certainty: 'sure' },
    title: 'No SPF record',
    meaning:
      'Anyone can send mail in the name of this domain, and its own mail is more often treated as spam.',
    remedy: 'Add a TXT record that begins with "v=spf1" and names who sends mail for the domain.',
  },
  'spf-two': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'More than one SPF record',
    meaning: 'Receivers ignore all of them, so mail from this domain is more often treated as spam.',
    remedy: 'Join them into one TXT record.',
  },
  'spf-open': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'SPF allows every server',
    meaning: 'Anyone can forge mail from this domain, and it looks genuine.',
    remedy: 'End the record with "-all" or "~all".',
  },
  'spf-lookups': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'SPF needs more than ten look-ups',
    meaning: 'Receivers give up on it, so mail from this domain is more often treated as spam.',
    remedy: 'Remove services that no longer send mail for the domain.',
  },
  'spf-dead': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'SPF includes a service without an SPF record',
    meaning: 'Receivers treat the whole record as broken, so mail is more often treated as spam.',
    remedy: 'Correct the "include", or remove it.',
  },
  'dmarc-missing': {
    ...{ area: 'mail', weight: 'warn', certainty: 'sure' },
    title: 'No DMARC record',
    meaning: 'Receivers have no instruction to refuse mail that is forged in the name of this domain.',
    remedy: 'Add a TXT record at "_dmarc", such as "v=DMARC1; p=quarantine".',
  },
  'dmarc-two': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'More than one DMARC record',
    meaning: 'Receivers ignore all of them and let forged mail through.',
    remedy: 'Keep one of the TXT records at "_dmarc".',
  },
  'dmarc-broken': {
    ...{ area: 'mail', weight: 'bad', certainty: 'sure' },
    title: 'The DMARC record cannot be read',
    meaning: 'Receivers ignore it, and let forged mail through.',
    remedy: 'Correct the record: "v=DMARC1" first, then "p" with none, quarantine or reject.',
  },
  'dmarc-none': {
    ...{ area: 'mail', weight: 'note', certainty: 'likely' },
    title: 'DMARC only monitors',
    meaning: 'Forged mail is still delivered, because the policy is "p=none".',
    remedy: 'Change the policy to quarantine once the reports show no mail of your own.',
  },
  'dmarc-rua': {
    ...{ area: 'mail', weight: 'warn', certainty: 'sure' },
    title: 'DMARC reports have no valid address',
    meaning:
      'Nobody sees who sends mail in the name of this domain, because the address for reports is not valid.',
    remedy: 'Set "rua" to a list of addresses, each beginning with "mailto:".',
  },
  'dkim-missing': {
    ...{ area: 'mail', weight: 'warn', certainty: 'likely' },
    title: 'The mail service does not sign',
    meaning: 'Mail of this domain is more often taken for spam, because its service has no DKIM key here.',
    remedy: 'Turn DKIM on at the mail service, and add the record that it shows.',
  },
  'dkim-weak': {
    ...{ area: 'mail', weight: 'note', certainty: 'sure' },
    title: 'A DKIM key is short',
    meaning: 'Signatures of its mail could be forged, because the key has fewer than 2048 bits.',
    remedy: 'Have the mail service make a key of 2048 bits, and replace the record.',
  },
  'tls-rpt-broken': {
    ...{ area: 'mail', weight: 'note', certainty: 'sure' },
    title: 'Reports of TLS go nowhere',
    meaning: 'Nobody sees when mail could not be delivered encrypted, because the record cannot be used.',
    remedy: 'Keep one TXT record at "_smtp._tls", such as "v=TLSRPTv1; rua=mailto:reports@example.com".',
  },
  'mx-plain': {
    ...{ area: 'mail', weight: 'warn', certainty: 'likely' },
    title: 'A mail server offers no encryption',
    meaning: 'Mail to this domain can be read on its way.',
    remedy: 'Turn STARTTLS on at that server.',
  },
  'mta-sts-broken': {
    ...{ area: 'mail', weight: 'warn', certainty: 'sure' },
    title: 'MTA-STS does not work',
    meaning: 'Senders do not insist on encryption, or refuse to deliver, because the policy cannot be used.',
    remedy: 'Correct the policy at "mta-sts", or remove the TXT record at "_mta-sts".',
  },
  'web-dangling': {
    ...{ area: 'web', weight: 'bad', certainty: 'likely' },
    title: 'An alias points to a name that does not exist',
    meaning: 'Somebody else may register the name behind it and show their own website under this domain.',
    remedy: 'Remove the CNAME record, or correct its host.',
  },
  'web-none': {
    ...{ area: 'web', weight: 'note', certainty: 'likely' },
    title: 'The domain has no address',
    meaning: 'People who type the domain into a browser find nothing.',
    remedy: 'Add an A record for the domain itself.',
  },
  'web-plain': {
    ...{ area: 'web', weight: 'warn', certainty: 'sure' },
    title: 'The website has no HTTPS',
    meaning: 'Browsers call it not secure, and what visitors type can be read on its way.',
    remedy: 'Install a certificate on the web server and open port 443.',
  },
  'web-fails': {
    ...{ area: 'web', weight: 'warn', certainty: 'likely' },
    title: 'The website answers with an error',
    meaning: 'Visitors see a message of the server in place of the page.',
    remedy: 'Ask who runs the web server.',
  },
  'web-cert-wrong': {
    ...{ area: 'web', weight: 'bad', certainty: 'sure' },
    title: 'Browsers do not accept the website’s certificate',
    meaning: 'Visitors are warned that somebody may be pretending to be this website.',
    remedy: 'Install a certificate for this name, with its chain.',
  },
  'web-cert-expired': {
    ...{ area: 'web', weight: 'bad', certainty: 'sure' },
    title: 'The website’s certificate has expired',
    meaning: 'Visitors are warned of the website.',
    remedy: 'Install a new certificate.',
  },
  'web-cert-expiring': {
    ...{ area: 'web', weight: 'warn', certainty: 'sure' },
    title: 'The website’s certificate ends soon',
    meaning: 'Visitors will be warned of the website, unless a new one is installed before.',
    remedy: 'Install the next certificate, or see why its renewal did not happen.',
  },
  'web-cert-other': {
    ...{ area: 'web', weight: 'note', certainty: 'likely' },
    title: 'The website shows another certificate than ours',
    meaning: 'The certificate that was bought here is not in use there.',
    remedy: 'Install the certificate from its page, or let it end.',
  },
  'caa-forbids': {
    ...{ area: 'certificate', weight: 'bad', certainty: 'sure' },
    title: 'CAA forbids the authority in use',
    meaning: 'The next certificate cannot be issued, so that visitors will be warned of the website.',
    remedy: 'Add a CAA record that allows the authority, or remove those that are there.',
  },
  'reissue-blocked': {
    ...{ area: 'certificate', weight: 'warn', certainty: 'sure' },
    title: 'The next reissue cannot be validated',
    meaning: 'Its certificate ends without a successor, because the DNS record that proves control is gone.',
    remedy: 'Restore the record that the certificate’s page shows, or move the DNS to us.',
  },
  unregistered: {
    ...{ area: 'registry', weight: 'bad', certainty: 'sure' },
    title: 'Nobody holds this name',
    meaning: 'Anyone can register it, and receive its visitors and its mail.',
    remedy: 'Check how it is written. If a customer should have it, register it before somebody else does.',
  },
  expiring: {
    ...{ area: 'registry', weight: 'warn', certainty: 'likely' },
    title: 'The domain expires and nobody renews it',
    meaning: 'Its website and mail end with it.',
    remedy: 'Renew it, or turn auto renew on.',
    elsewhere: {
      title: 'The domain expires soon',
      meaning: 'Its website and mail end with it, unless it is renewed where it is held.',
      remedy: 'Ask who holds it to renew it.',
    },
  },
  'registry-hold': {
    ...{ area: 'registry', weight: 'bad', certainty: 'sure' },
    title: 'The registry holds the domain back',
    meaning: 'Its website and mail do not work, or will not soon.',
    remedy:
      'Ask the registrar for the reason; often the registrant has to confirm something, or the domain has to be renewed.',
  },
  'registrant-unverified': {
    ...{ area: 'registry', weight: 'warn', certainty: 'sure' },
    title: 'The registrant is not verified',
    meaning: 'The registrar suspends the domain when its holder does not confirm their email address.',
    remedy: 'Send the mail again on the Contacts tab, or correct the address.',
  },
  'registrant-bounced': {
    ...{ area: 'registry', weight: 'warn', certainty: 'sure' },
    title: 'Mail to the registrant comes back',
    meaning: 'Its holder gets none of the mails on which the domain depends.',
    remedy: 'Correct the email address on the Contacts tab.',
  },
  unlocked: {
    ...{ area: 'registry', weight: 'note', certainty: 'likely' },
    title: 'The domain is not locked',
    meaning: 'Anyone with its auth code can move it to another registrar.',
    remedy: 'Turn on the lock on the Info tab.',
    elsewhere: {
      remedy: 'Ask who holds it to lock it.',
    },
  },
} as const satisfies Record<string, HealthRule>;

export type HealthKind = keyof typeof healthFindings;
export const healthKinds = Object.keys(healthFindings) as [HealthKind, ...HealthKind[]];

/** A kind as it is stored may be one of a later version. */
export function isHealthKind(text: string): text is HealthKind {
  return Object.hasOwn(healthFindings, text);
}

export const ruleOfFinding = (kind: HealthKind): HealthRule => healthFindings[kind];

/** The same for a domain that is held elsewhere: nobody can set its nameservers or its lock here. */
export function ruleOfWatched(kind: HealthKind): HealthRule {
  const rule = ruleOfFinding(kind);
  return { ...rule, ...rule.elsewhere };
}
