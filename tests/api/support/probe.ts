import type { FastifyInstance, InjectOptions } from 'fastify';
import {
  type BinaryOperationNode,
  ColumnNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  type PluginTransformResultArgs,
  type QueryId,
  RawNode,
  ReferenceNode,
} from 'kysely';
import type { OperationSpec } from '../../../src/contracts/operation.ts';
import { operations } from '../../../src/contracts/operations.ts';
import { type Permission, permissions, type Role } from '../../../src/contracts/permissions.ts';
import { newId } from '../../../src/server/kernel/ids.ts';
import { type Answer, ask } from './portal.ts';
import { requestFor, type Subject } from './samples.ts';

/** Operations that ask for a permission: those about an organisation's own things. */
export const permitted = operations.filter(({ access }) => access in permissions);

/** Reading first and removing last, so that what is asked for is still there. */
const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
export const inOrder = (list: readonly OperationSpec[]) =>
  [...list].sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method));

export function mayCall(operation: OperationSpec, role: Role): boolean {
  return permissions[operation.access as Permission]?.[role] !== 'none';
}

/** An id that nothing has, of the same kind as this one. */
export function unknownLike(id: string): string {
  if (/^[0-9a-f-]{36}$/.test(id)) return newId();
  if (/^\d+$/.test(id)) return `8${Math.floor(Math.random() * 1e11)}`;
  const name = Math.random().toString(36).slice(2, 12);
  return id.endsWith('.com') ? `zq${name}unknown.com` : `cus_zq${name}unknown`;
}

/** The same subject with one part replaced by this id. */
export function about(subject: Subject, id: string): Subject {
  if (/^[0-9a-f-]{36}$/.test(id)) return { ...subject, id };
  return id.includes('.') ? { ...subject, domain: id } : { ...subject, text: id };
}

export interface Probe {
  app: FastifyInstance;
  /** For messages. */
  actor: string;
  role: Role;
  token: string;
  /** What belongs to the caller. */
  own: Subject;
  /** What the caller must not see: ids to ask for, and texts in it. */
  foreign: { ids: readonly string[]; markers: readonly string[] };
  log(from?: number): string;
  logged(): number;
  operations?: readonly OperationSpec[];
}

/**
 * Asks every operation for everything foreign, and says where the answer differs from the one to an id that nothing
 * has, or where anything foreign stands in a reply, a header or the log.
 */
export async function foreignFaults(probe: Probe): Promise<{ faults: string[]; asked: number }> {
  const faults: string[] = [];
  let asked = 0;
  const chosen = inOrder(probe.operations ?? permitted).filter((operation) => mayCall(operation, probe.role));
  for (const operation of chosen) {
    const requests = probe.foreign.ids
      .map((id) => ({ id, request: requestFor(operation, about(probe.own, id), probe.token) }))
      .filter(({ id, request }) => mentionsId(request, id));
    const logged = probe.logged();
    const base = requests.length > 0 ? [] : [requestFor(operation, probe.own, probe.token)];
    const plain = await Promise.all(base.map((request) => ask(probe.app, request)));
    const kinds = new Map<string, string>();
    for (const { id, request } of requests) {
      const kind = about(probe.own, id).id === id ? 'id' : id.includes('.') ? 'domain' : 'text';
      if (!kinds.has(kind)) kinds.set(kind, await askUnknown(probe, operation, id));
      const answer = await ask(probe.app, request);
      asked += 1;
      const got = plainOf(answer, id);
      // An act may have changed what the next one meets: then an unknown id meets it too.
      if (got !== kinds.get(kind)) kinds.set(kind, await askUnknown(probe, operation, id));
      const expected = kinds.get(kind);
      if (got !== expected) {
        faults.push(`${operation.id} as ${probe.actor} tells ${id} apart: ${got} instead of ${expected}`);
      }
      faults.push(...leaks(probe, operation, withoutId(answer.body + answer.headers, id), 'reply'));
    }
    asked += plain.length;
    for (const answer of plain)
      faults.push(...leaks(probe, operation, answer.body + answer.headers, 'reply'));
    const sent = requests.map(({ id }) => id);
    const told = sent.reduce((text, id) => withoutId(text, id), probe.log(logged));
    faults.push(...leaks(probe, operation, told, 'log'));
  }
  return { faults: [...new Set(faults)], asked };
}

/** The answer to an id that nothing has. */
async function askUnknown(probe: Probe, operation: OperationSpec, id: string): Promise<string> {
  const unknown = unknownLike(id);
  const answer = await ask(probe.app, requestFor(operation, about(probe.own, unknown), probe.token));
  return plainOf(answer, unknown);
}

function leaks(probe: Probe, operation: OperationSpec, text: string, where: string): string[] {
  return probe.foreign.markers
    .filter((marker) => (/^\d+$/.test(marker) ? hasNumber(text, marker) : text.includes(marker)))
    .map((marker) => `${operation.id} as ${probe.actor}: ${marker} in its ${where}`);
}

/** An amount stands by itself; the same digits within a random id mean nothing. */
function hasNumber(text: string, digits: string): boolean {
  return new RegExp(`\\b${digits}\\b`).test(text);
}

function mentionsId(request: InjectOptions, id: string): boolean {
  const { url, payload } = request as { url: string; payload?: string };
  return url.includes(encodeURIComponent(id)) || (payload ?? '').includes(id);
}

/** Without the id that was asked for; of a domain, its first label too: other names are proposed after it. */
function withoutId(text: string, id: string): string {
  const rest = text.replaceAll(id, '<id>').replaceAll(encodeURIComponent(id), '<id>');
  return id.endsWith('.com') ? rest.replaceAll(id.slice(0, -4), '<name>') : rest;
}

/** An answer without what differs by itself: the request's number, the id that was asked for, moments. */
export function plainOf({ status, body }: Answer, id: string): string {
  const text = withoutId(body, id)
    .replace(/"requestId":"[\w-]+"/, '"requestId":"-"')
    .replace(/"(\w*[iI]d|key|keyName|signedUrl|link|token)":"[^"<]*"/g, '"$1":"-"')
    .replace(/template 0\.\d+/g, '<name>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<at>');
  return `${status} ${text}`;
}

/** Takes the repositories' own limit to the organisation out of every query: what then holds is the database's. */
export class WithoutScope extends OperationNodeTransformer implements KyselyPlugin {
  transformQuery({ node }: { node: OperationNode }) {
    return this.transformNode(node) as never;
  }
  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
  protected override transformBinaryOperation(
    node: BinaryOperationNode,
    queryId?: QueryId,
  ): BinaryOperationNode {
    const column = ReferenceNode.is(node.leftOperand) ? node.leftOperand.column : null;
    const isScope =
      column !== null &&
      ColumnNode.is(column) &&
      column.column.name === 'organisation_id' &&
      !ReferenceNode.is(node.rightOperand);
    if (!isScope) return super.transformBinaryOperation(node, queryId);
    return RawNode.createWithSql('true') as unknown as BinaryOperationNode;
  }
}
