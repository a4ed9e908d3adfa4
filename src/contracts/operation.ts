import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { type Permission, permissions } from './permissions.ts';
import type { Audited } from './values/audit-actions.ts';
import { oneLine } from './values/one-line.ts';
import type { RateName } from './values/rates.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: everybody (`public`), anyone with a valid token (`identity`, before there is a profile),
 * the sandboxed signature of an upload address (`signature`), a payment provider's webhook (`webhook`),
 * an operator's own key (`operator`), the setting that makes such keys and does nothing else (`bootstrap`), or a user
 * whose role holds the permission.
 */
export type Access = 'public' | 'identity' | 'signature' | 'webhook' | 'operator' | 'bootstrap' | Permission;

interface CommonSpec {
  /** `feature.verb`, unique. */
  id: string;
  /** Below `/api`, with `:name` parameters. */
  path: string;
  summary: string;
  /**
   * If the compiler does not know the permission: add it to `permissions.ts`, and to the two tables of
   * `permissions.test.ts` that state each decision a second time.
   */
  access: Access;
  /**
   * Open as soon as the person has a profile: what the onboarding itself needs. Where nothing is said, an operation that
   * needs a permission opens with the organisation's first payment (P2 §2, docs/decisions/0150).
   */
  opens?: 'with-profile';
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Shape of `data`. For `replyKind: 'file'`, the contents of the file are not described here. */
  reply: z.ZodType;
  /** A list: `meta: {total, page, pageSize}` is next to `data` when paged (decisions no. 10). */
  paged?: boolean;
  replyKind?: 'json' | 'file' | 'raw';
  /** Of `replyKind: 'file'`: the media types that the file may have. */
  fileTypes?: readonly string[];
  /** `raw`: the handler gets the bytes (webhooks, uploads). */
  bodyKind?: 'json' | 'raw';
  bodyLimitBytes?: number;
  /** Codes beside the ones every operation may answer with. */
  errors?: readonly ErrorCode[];
  /** Its limit, by the table of `values/rates.ts`. */
  rate?: RateName;
  /**
   * Guards itself by the Idempotency-Key, in the transaction of what it does. All other writes take one too (decisions
   * no. 9) and are guarded at the edge (`server/http/once.ts`).
   */
  idempotent?: boolean;
  /**
   * Needs a sign-in of the last 15 minutes (design: step-up): always, or in the case that is named here. Then the
   * handler is given `requireFreshSignIn` and calls it where it sees that case. The edge alone knows the rule.
   */
  freshSignIn?: true | { when: string };
  /** Never cached, never logged with its reply. */
  sensitive?: boolean;
}

/** What only reads need not be in the audit log; where it is, it names its action. */
interface ReadingSpec extends CommonSpec {
  method: 'GET';
  /**
   * `replica`: a list, an export, the audit log or a report. A standby that has what the caller has seen and changed may answer
   * what it reads by `inReading` (docs/decisions/0270). Never where the answer decides about money or rights, or the operation
   * asks the outside world. Each paged list and each file says one or the other.
   */
  reads?: 'replica' | { primary: string };
  audit?: Audited;
}

/**
 * What changes something names what the audit log says of it. If the compiler sent you here: add
 * `audit: 'feature.verb'`, put that action with its title into `values/audit-actions.ts`, and write the entry with
 * `audit(tx, scope, …)` in the transaction of the change. Where there is nothing to write: `audit: { none: 'why' }`.
 */
interface WritingSpec extends CommonSpec {
  method: Exclude<Method, 'GET'>;
  audit: Audited;
  /** What it asks about does not fit into an address, or is not to stand in one. It only reads. */
  changesNothing?: true;
}

export type OperationSpec = ReadingSpec | WritingSpec;

/** Declares one operation. The contract from which server, client, OpenAPI and permission tests are made. */
export function defineOperation<const T extends OperationSpec>(spec: T): T {
  return spec;
}

/** Whether the provider's people may call it only once their organisation has paid the initial fee. */
export function needsFirstPayment({ access, opens }: Pick<OperationSpec, 'access' | 'opens'>): boolean {
  return access in permissions && opens !== 'with-profile';
}

type Infer<T> = T extends z.ZodType ? z.output<T> : undefined;
export type ParamsOf<T extends OperationSpec> = Infer<T['params']>;
export type QueryOf<T extends OperationSpec> = Infer<T['query']>;
export type BodyOf<T extends OperationSpec> = Infer<T['body']>;
export type ReplyOf<T extends OperationSpec> = z.output<T['reply']>;

export const pageMeta = z.object({
  total: z.int().min(0),
  page: z.int().min(1),
  pageSize: z.int().min(1),
});
export type PageMeta = z.output<typeof pageMeta>;

/** Query of a paged list. Absent `page`: the complete array (decisions no. 10). */
export function pageQuery<const S extends readonly [string, ...string[]]>(sortable: S) {
  const sorts = sortable.flatMap((name) => [name, `-${name}`]) as [string, ...string[]];
  return z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).optional(),
    pageSize: z.coerce.number().int().min(1).max(200).default(50),
    sort: z.enum(sorts as [S[number] | `-${S[number]}`, ...(S[number] | `-${S[number]}`)[]]).optional(),
    search: oneLine(200).optional(),
  });
}

export const idParams = z.object({ id: z.uuid() });
/** Reply of an act that has nothing to say. */
export const noData = z.object({}).strict();
