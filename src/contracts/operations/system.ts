import { z } from 'zod';
import { defineOperation } from '../operation.ts';

/** What the web app must know before anyone signs in. No secrets. */
export const publicConfig = z.object({
  productName: z.string(),
  appType: z.enum(['msp', 'client']),
  /** Whose portal it is, in a portal of customers (decision 90); null: known once somebody has signed in. */
  brand: z.object({ name: z.string(), logoPath: z.string().nullable() }).nullable(),
  identity: z.object({
    authority: z.string(),
    clientId: z.string(),
    scope: z.string(),
    extraParams: z.record(z.string(), z.string()),
    passwordResetUrl: z.string().nullable(),
    passwordResetConnection: z.string(),
    /** As the provider publishes them (OpenID Connect Discovery 3), so that browsers need not ask; null: not known yet. */
    metadata: z
      .object({
        issuer: z.string(),
        authorization_endpoint: z.string(),
        token_endpoint: z.string(),
        end_session_endpoint: z.string().optional(),
        response_modes_supported: z.array(z.string()).optional(),
      })
      .nullable(),
  }),
  payments: z.object({ publishableKey: z.string(), scriptUrl: z.string(), dashboardUrl: z.string() }),
  paymentAccountRequired: z.boolean(),
});
export type PublicConfig = z.output<typeof publicConfig>;

export const getConfig = defineOperation({
  id: 'system.config',
  method: 'GET',
  path: '/config',
  summary: 'Get the public configuration of the web app',
  access: 'public',
  reply: publicConfig,
});

export const getDocument = defineOperation({
  id: 'system.document',
  method: 'GET',
  path: '/content/:name',
  summary: 'Get the terms or the privacy text as Markdown',
  access: 'public',
  params: z.object({ name: z.enum(['terms-and-conditions', 'privacy-policy']) }),
  reply: z.object({ markdown: z.string() }),
  errors: ['not_found'],
});
