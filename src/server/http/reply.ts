import type { FastifyReply } from 'fastify';
import { type OperationSpec, pageMeta } from '#contracts/operation.ts';
import { FileReply, Paged, StoredReply, WrittenPage } from '#kernel/binding.ts';
import type { KeptReply } from '#kernel/request-keys.ts';
import { fieldErrors } from './errors.ts';
import { sendJson } from './packed.ts';

/** The answer that was given to the same request before. */
export class Replayed {
  readonly reply: KeptReply;
  constructor(reply: KeptReply) {
    this.reply = reply;
  }
}

/**
 * Answers with what the handler returned, cut to the contract: a field that the contract does not name never leaves
 * the server (OWASP API3), and a reply that breaks it is our fault, told to the log and not to the caller.
 */
export function sendResult(operation: OperationSpec, result: unknown, reply: FastifyReply): FastifyReply {
  if (result instanceof FileReply) return sendFile(operation, result, reply);
  if (result instanceof Replayed) {
    const { status, body } = result.reply;
    return sendJson(reply.status(status), body);
  }
  if (result instanceof StoredReply) return sendJson(reply, result.body);
  return sendJson(reply, jsonOf(operation, result));
}

/** The reply to the letter. */
export function jsonOf(operation: OperationSpec, result: unknown): string {
  if (result instanceof StoredReply) return result.body.toString('utf8');
  if (result instanceof WrittenPage) {
    const data = `{"data":${result.rows}`;
    return result.meta ? `${data},"meta":${JSON.stringify(pageMeta.parse(result.meta))}}` : `${data}}`;
  }
  const [data, meta] = result instanceof Paged ? [result.rows, result.meta] : [result, null];
  const checked = operation.reply.safeParse(data);
  if (!checked.success) {
    const complaints = fieldErrors(checked.error).map(({ path, message }) => `${path}: ${message}`);
    throw new Error(`reply of ${operation.id} does not fit its contract: ${complaints.join('; ')}`);
  }
  return JSON.stringify(meta ? { data: checked.data, meta: pageMeta.parse(meta) } : { data: checked.data });
}

function sendFile(operation: OperationSpec, file: FileReply, reply: FastifyReply): FastifyReply {
  const [type = ''] = file.contentType.split(';');
  if (!operation.fileTypes?.includes(type)) {
    throw new Error(`reply of ${operation.id} does not fit its contract: a file of type ${type}`);
  }
  reply.header('content-type', file.contentType);
  if (file.fileName) reply.header('content-disposition', dispositionOf(file.fileName));
  return reply.send(file.content);
}

/** RFC 6266: a plain name for everybody, and the exact one for those who read it. */
function dispositionOf(fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_');
  if (plain === fileName) return `attachment; filename="${plain}"`;
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
