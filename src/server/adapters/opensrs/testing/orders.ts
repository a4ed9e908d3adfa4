import type { FencelessRegistrar } from '../../../ports/conformance/fenceless.ts';
import type { Outcome } from '../../../ports/outcome.ts';
import type { Contact, RegisterInput } from '../../../ports/registrar.ts';
import { type Answer, ok } from './scripted-server.ts';

/** One order of each kind that costs money, and the registrar's good answer to it. */

export const ann: Contact = {
  firstName: 'Zoë',
  lastName: 'Müller',
  organization: 'Größe & Söhne <GmbH>',
  address1: '1 High Street',
  city: 'Leeds',
  state: 'WY',
  postalCode: 'LS1 1AA',
  country: 'UK',
  email: 'ann@example.com',
  phone: '+44.1134960000',
};
export const input: RegisterInput = {
  domain: 'new-7781.com',
  years: 2,
  privacy: true,
  autoRenew: false,
  contacts: { owner: ann, admin: ann, billing: ann },
  credentials: { username: 'user1234', password: 'Ab12cd34Ef' },
  tag: 'item-1',
};
export const renewal = {
  domain: 'a.com',
  years: 1,
  currentExpiryYear: 2027,
  autoRenew: false,
  tag: 'item-2',
};
export const transfer = {
  domain: 'in.com',
  authCode: 'x9!Q&<',
  contacts: input.contacts,
  credentials: input.credentials,
  tag: 'item-3',
};
export const certificate = {
  domain: 'www.a.com',
  productType: 'rapidssl',
  csr: '-----BEGIN CERTIFICATE REQUEST----- MIIB AAAA -----END CERTIFICATE REQUEST-----',
  years: 1,
  validation: 'Email' as const,
  approverEmail: 'admin@a.com',
  contacts: { admin: ann, billing: ann, tech: ann },
  tag: 'item-4',
};

export const registered = ok(
  {
    registration_code: '200',
    registration_text: 'Domain registration successfully completed',
    id: '11820034',
    admin_email: 'a@x.com',
    domain_id: '1532247',
    whois_privacy_state: 'enabled',
  },
  'Domain registration successfully completed\nDomain successfully locked.\nWhois Privacy successfully enabled.',
);

export const orders: [string, (registrar: FencelessRegistrar) => Promise<Outcome<unknown>>, Answer][] = [
  ['register', (registrar) => registrar.register(input), registered],
  [
    'renew',
    (registrar) => registrar.renew(renewal),
    ok({
      'registration expiration date': '2028-03-02 10:11:12',
      auto_renew: '0',
      id: '1',
      order_id: '3511417',
    }),
  ],
  [
    'transfer',
    (registrar) => registrar.transferIn(transfer),
    ok({ registration_code: '200', id: '3735288' }, 'Transfer request has been successfully sent'),
  ],
  [
    'certificate',
    (registrar) => registrar.orderCertificate(certificate),
    ok({ domain: 'www.a.com', order_id: '5555', state: 'awaiting-approval' }),
  ],
];
