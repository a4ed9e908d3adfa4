import type { BodyOf, OperationSpec, PageMeta, ParamsOf, QueryOf, ReplyOf } from '#contracts/operation.ts';
import type { Operator } from './operator.ts';
import type { Scope } from './scope.ts';
import type { VerifiedIdentity } from './verified-identity.ts';

/** Who calls, by the operation's access: a user with a role, a signed-in person without a profile, or nobody. */
type Caller<T extends OperationSpec> = T['access'] extends 'operator' | 'bootstrap'
  ? { scope: null; identity: null; operator: Operator }
  : T['access'] extends 'public' | 'signature' | 'webhook'
    ? { scope: null; identity: null }
    : T['access'] extends 'identity'
      ? { scope: null; identity: VerifiedIdentity }
      : { scope: Scope; identity: VerifiedIdentity };

/** Where only some cases need a fresh sign-in, the handler says so when it sees one; throws when the sign-in is old. */
type Freshness<T extends OperationSpec> = T extends { freshSignIn: { when: string } }
  ? { requireFreshSignIn: () => void }
  : unknown;

/** What a handler gets: parsed by the operation's schemas, with the caller verified. */
export type Context<T extends OperationSpec> = Caller<T> &
  Freshness<T> & {
    params: ParamsOf<T>;
    query: QueryOf<T>;
    body: BodyOf<T>;
    /** The bytes, for operations with `bodyKind: 'raw'`. */
    rawBody: Buffer;
    headers: { idempotencyKey: string | null; get(name: string): string | null };
    request: { id: string; ip: string; userAgent: string };
    /** For how long the caller's sign-in still counts as fresh; 0: it does not. */
    freshForSeconds: () => number;
  };

export class Paged<T> {
  readonly rows: T;
  readonly meta: PageMeta | null;
  constructor(rows: T, meta: PageMeta | null) {
    this.rows = rows;
    this.meta = meta;
  }
}

/** Rows of a list with what the pager needs; without a page in the query the array stands alone. */
export function paged<T>(
  rows: T,
  total: number,
  query: { page?: number | undefined; pageSize: number },
): Paged<T> {
  return new Paged(rows, metaOf(total, query));
}

/** The same of rows that were written as JSON: the text of their array. */
export function writtenPage(
  rows: string,
  total: number,
  query: { page?: number | undefined; pageSize: number },
): WrittenPage {
  return new WrittenPage(rows, metaOf(total, query));
}

const metaOf = (total: number, { page, pageSize }: { page?: number | undefined; pageSize: number }) =>
  page ? { total, page, pageSize } : null;

/** A page whose rows are JSON already: checked against the contract where they were written. */
export class WrittenPage {
  readonly rows: string;
  readonly meta: PageMeta | null;
  constructor(rows: string, meta: PageMeta | null) {
    this.rows = rows;
    this.meta = meta;
  }
}

export class FileReply {
  readonly content: Buffer | NodeJS.ReadableStream;
  readonly contentType: string;
  readonly fileName: string | null;
  constructor(content: Buffer | NodeJS.ReadableStream, contentType: string, fileName: string | null) {
    this.content = content;
    this.contentType = contentType;
    this.fileName = fileName;
  }
}

/** A whole JSON reply as bytes: checked against its contract when it was kept, and sent as it is. */
export class StoredReply {
  readonly body: Buffer;
  constructor(body: Buffer) {
    this.body = body;
  }
}

export type HandlerResult<T extends OperationSpec> =
  | ReplyOf<T>
  | Paged<ReplyOf<T>>
  | WrittenPage
  | FileReply
  | StoredReply;
export type Handler<T extends OperationSpec> = (context: Context<T>) => Promise<HandlerResult<T>>;

/** An operation and what serves it. Features make these; `server/http` mounts them. */
export interface Binding {
  operation: OperationSpec;
  handler: (context: never) => Promise<unknown>;
}

/** Binds a handler to its operation, typed by the contract. */
export function bind<const T extends OperationSpec>(operation: T, handler: Handler<T>): Binding {
  return { operation, handler: handler as (context: never) => Promise<unknown> };
}
