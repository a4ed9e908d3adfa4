import type { z } from 'zod';
import type { OperationSpec, PageMeta } from '#contracts/operation.ts';
import type * as acme from '#contracts/operations/acme.ts';
import type * as attention from '#contracts/operations/attention.ts';
import type * as audit from '#contracts/operations/audit.ts';
import type * as billing from '#contracts/operations/billing.ts';
import type * as certificates from '#contracts/operations/certificates.ts';
import type * as changes from '#contracts/operations/changes.ts';
import type * as customerImport from '#contracts/operations/customer-import.ts';
import type * as customers from '#contracts/operations/customers.ts';
import type * as directBilling from '#contracts/operations/direct-billing.ts';
import type * as dns from '#contracts/operations/dns.ts';
import type * as dnsRecords from '#contracts/operations/dns-records.ts';
import type * as dnsTemplates from '#contracts/operations/dns-templates.ts';
import type * as domainContacts from '#contracts/operations/domain-contacts.ts';
import type * as domainSettings from '#contracts/operations/domain-settings.ts';
import type * as domains from '#contracts/operations/domains.ts';
import type * as earnings from '#contracts/operations/earnings.ts';
import type * as health from '#contracts/operations/health.ts';
import type * as moves from '#contracts/operations/moves.ts';
import type * as operator from '#contracts/operations/operator.ts';
import type * as operators from '#contracts/operations/operators.ts';
import type * as orders from '#contracts/operations/orders.ts';
import type * as overview from '#contracts/operations/overview.ts';
import type * as paymentLink from '#contracts/operations/payment-link.ts';
import type * as privacy from '#contracts/operations/privacy.ts';
import type * as recovery from '#contracts/operations/recovery.ts';
import type * as renewals from '#contracts/operations/renewals.ts';
import type * as statement from '#contracts/operations/statement.ts';
import type * as system from '#contracts/operations/system.ts';
import type * as tokens from '#contracts/operations/tokens.ts';
import type * as transfers from '#contracts/operations/transfers.ts';
import type * as users from '#contracts/operations/users.ts';
import type * as views from '#contracts/operations/views.ts';

/**
 * The contract as types alone: a call is named by its method and path, e.g. `GET /customer/:id`, so that the first
 * screen carries no schemas. A new operations file is added here once.
 */
type OperationsIn<Module> = Extract<Module[keyof Module], OperationSpec>;
type AnyOperation =
  | OperationsIn<typeof acme>
  | OperationsIn<typeof attention>
  | OperationsIn<typeof audit>
  | OperationsIn<typeof billing>
  | OperationsIn<typeof certificates>
  | OperationsIn<typeof changes>
  | OperationsIn<typeof customers>
  | OperationsIn<typeof customerImport>
  | OperationsIn<typeof dns>
  | OperationsIn<typeof dnsRecords>
  | OperationsIn<typeof dnsTemplates>
  | OperationsIn<typeof directBilling>
  | OperationsIn<typeof domains>
  | OperationsIn<typeof domainContacts>
  | OperationsIn<typeof domainSettings>
  | OperationsIn<typeof health>
  | OperationsIn<typeof moves>
  | OperationsIn<typeof operator>
  | OperationsIn<typeof operators>
  | OperationsIn<typeof recovery>
  | OperationsIn<typeof orders>
  | OperationsIn<typeof overview>
  | OperationsIn<typeof paymentLink>
  | OperationsIn<typeof privacy>
  | OperationsIn<typeof renewals>
  | OperationsIn<typeof earnings>
  | OperationsIn<typeof statement>
  | OperationsIn<typeof system>
  | OperationsIn<typeof tokens>
  | OperationsIn<typeof transfers>
  | OperationsIn<typeof users>
  | OperationsIn<typeof views>;

export type Operations = { [O in AnyOperation as `${O['method']} ${O['path']}`]: O };
export type OperationName = keyof Operations;
/** Those that take no token. */
export type PublicOperationName = {
  [N in OperationName]: Operations[N] extends { access: 'public' } ? N : never;
}[OperationName];
/** Those that change nothing and are no GET. */
export type OtherReadingName = {
  [N in OperationName]: Operations[N] extends { changesNothing: true } ? N : never;
}[OperationName];
/** Lists that page on the server. */
export type PagedOperationName = {
  [N in OperationName]: Operations[N] extends { paged: true } ? N : never;
}[OperationName];

type ParamsPart<O> = O extends { params: infer P extends z.ZodType }
  ? { params: { [K in keyof z.input<P>]: string } }
  : unknown;
type QueryPart<O> = O extends { query: infer Q extends z.ZodType }
  ? { query?: LooseQuery<z.input<Q>> }
  : unknown;
/** Numbers are coerced by the contract, whose input type is then `unknown`. */
type LooseQuery<Q> = {
  [K in keyof Q]?: (unknown extends Q[K] ? string | number | undefined : Q[K]) | undefined;
};
type BodyPart<O> = O extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown;

export interface CallOptions {
  /** Decisions no. 9: stored with what is being sent, before it is sent. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** To wait for longer than the server takes to answer (`answer-times.ts`): a file may come slowly. */
  timeoutMs?: number;
  /** Of what is asked together it goes last: the screen is for something else. */
  isAside?: boolean;
}
export type CallInput<N extends OperationName> = CallOptions &
  ParamsPart<Operations[N]> &
  QueryPart<Operations[N]> &
  BodyPart<Operations[N]>;
export type CallReply<N extends OperationName> = z.output<Operations[N]['reply']>;
export type CallBody<N extends OperationName> = BodyPart<Operations[N]> extends { body: infer B } ? B : never;
export interface Paged<T> {
  rows: T;
  meta: PageMeta;
}
