import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { contact } from '../values/contact.ts';
import { settingErrors, settingResult } from './domain-settings.ts';
import { domainParams } from './domains.ts';

/** Apart from a domain's other settings: the rules of contacts bring every country and its telephone numbers. */

export const setDomainContacts = defineOperation({
  id: 'domains.contacts',
  method: 'PUT',
  path: '/:domain/contacts',
  summary: 'Change the contacts of a domain at the registry',
  access: 'domains.settings',
  audit: 'domains.contacts',
  params: domainParams,
  body: z.object({
    owner: contact.optional(),
    admin: contact.optional(),
    billing: contact.optional(),
    tech: contact.optional(),
  }),
  reply: settingResult,
  errors: settingErrors,
});
