import { z } from 'zod';
import { defineOperation, idParams, noData, pageQuery } from '../operation.ts';
import { usd } from '../values/money.ts';
import { mostMoveLines, moveTextMost } from '../values/move-lines.ts';
import { oneLine } from '../values/one-line.ts';
import { purchase } from './orders.ts';

/** Domains that come here together: a pasted list of names and auth codes, checked, ordered and followed as one. */

const moment = z.iso.datetime();

/** `keep`: the nameservers stay; `bring`: the records are served here, and the nameservers are changed. */
export const moveDns = z.enum(['keep', 'bring']);
export type MoveDns = z.output<typeof moveDns>;

/**
 * Where a line is. Before the order: `checking`, `ready`, `blocked`, `left-out`. After it: `ordered`, `approval` (the owner or
 * the admin contact is asked), `release` (the other registrar may object), `arriving` (here; its DNS is being put in order),
 * `held` (something keeps its DNS from being put in order), `done`, `differs` (its DNS answers otherwise than before),
 * `failed`, `review`.
 */
export const moveStages = [
  ...(['checking', 'ready', 'blocked', 'left-out'] as const),
  ...(['ordered', 'approval', 'release', 'arriving', 'held', 'done', 'differs', 'failed', 'review'] as const),
] as const;
export type MoveStage = (typeof moveStages)[number];

/**
 * The one act that helps: a new code, a request to unlock, another look, its records served here, its nameservers kept, or to cancel.
 * A line that is held, or whose records could not be read, may always be looked at again. One that is held may also keep its
 * nameservers.
 */
export const moveHelp = z.enum(['code', 'unlock', 'look', 'bring', 'keep', 'cancel']);

export const moveLine = z.object({
  id: z.uuid(),
  /** As the pasted text counts. */
  number: z.int(),
  domain: z.string(),
  /** False: the line holds no name that can be moved. */
  readable: z.boolean(),
  stage: z.enum(moveStages),
  /** What will happen, what happens, or what is in the way: one sentence. */
  text: z.string(),
  /** What else should be known before the order. */
  warnings: z.array(z.string()),
  help: moveHelp.nullable(),
  /** By when the stage is usually over. */
  expectedBy: moment.nullable(),
  /** It takes longer than it should. */
  late: z.boolean(),
  /** US dollars; null while it is not known. */
  price: usd.nullable(),
  dns: moveDns,
  nameservers: z.array(z.string()),
  /** Its registrar before the transfer, as its registry says; null: it does not, or nobody answered. */
  registrar: z.string().nullable(),
  /** When it expires at that registrar. */
  expiresAt: moment.nullable(),
  /** How its zone was read; null: it was not. `whole`: from its own servers; `usual`: by names that are usual. */
  zone: z.object({ how: z.enum(['whole', 'usual']), records: z.int(), leftOut: z.int() }).nullable(),
  hasCode: z.boolean(),
  orderId: z.uuid().nullable(),
});
export type MoveLine = z.output<typeof moveLine>;

export const moveHead = z.object({
  id: z.uuid(),
  customerId: z.uuid(),
  customer: z.string(),
  createdAt: moment,
  /** Who acted on it last: it goes on in their name. */
  by: z.string(),
  /** Lines by stage. */
  counts: z.partialRecord(z.enum(moveStages), z.int()),
});
export type MoveHead = z.output<typeof moveHead>;

export const move = moveHead.extend({
  lines: z.array(moveLine),
  /** Of the lines that are ready, in US dollars. */
  total: usd,
});
export type Move = z.output<typeof move>;

export const moveZone = z.object({
  /** As they will be served here. */
  records: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
  /** Records that the managed DNS cannot hold. */
  leftOut: z.array(z.object({ name: z.string(), type: z.string(), data: z.string(), reason: z.string() })),
  /** Answers that are not what they were: after the move, and where it is held because the old DNS has changed. */
  differences: z.array(
    z.object({ name: z.string(), type: z.string(), before: z.array(z.string()), now: z.array(z.string()) }),
  ),
  /** When that was compared; where a line is held because its old DNS has changed, when these answers were found first. */
  comparedAt: moment.nullable(),
});
export type MoveZone = z.output<typeof moveZone>;

const lineIds = z.array(z.uuid()).min(1).max(mostMoveLines);
const lineParams = z.object({ id: z.uuid(), lineId: z.uuid() });

export const createMove = defineOperation({
  id: 'moves.create',
  method: 'POST',
  path: '/move',
  summary: 'Paste a list of names with auth codes. Each line is checked; nothing is ordered',
  access: 'orders.purchase',
  audit: 'moves.create',
  body: z.object({
    customerId: z.uuid(),
    /** One name and its code a line, divided by a comma, semicolon, tab or blank. */
    text: z.string().min(1, 'Please paste names with their codes').max(moveTextMost),
  }),
  bodyLimitBytes: moveTextMost * 4,
  reply: z.object({ id: z.uuid() }),
  errors: ['validation_failed', 'not_found', 'unprocessable'],
  rate: 'upload',
});

export const listMoves = defineOperation({
  id: 'moves.list',
  method: 'GET',
  path: '/move',
  reads: 'replica',
  summary: 'List the transfers by list, newest first. `search` finds those with such a name',
  access: 'orders.purchase',
  query: pageQuery(['createdAt']),
  reply: z.array(moveHead),
  paged: true,
});

export const getMove = defineOperation({
  id: 'moves.get',
  method: 'GET',
  path: '/move/:id',
  summary: 'Get a list of transfers: what will happen with each line, or where it is',
  access: 'orders.purchase',
  params: idParams,
  reply: move,
  errors: ['not_found'],
});

export const getMoveZone = defineOperation({
  id: 'moves.zone',
  method: 'GET',
  path: '/move/:id/line/:lineId',
  summary: 'Get the records that were read for a line, and what differs after the move',
  access: 'orders.purchase',
  params: lineParams,
  reply: moveZone,
  errors: ['not_found'],
});

export const changeMove = defineOperation({
  id: 'moves.change',
  method: 'PATCH',
  path: '/move/:id',
  summary:
    'Choose for lines whether their DNS comes along (also where the old DNS has changed), or leave them out',
  access: 'orders.purchase',
  audit: 'moves.change',
  params: idParams,
  body: z.object({
    lineIds,
    dns: moveDns.optional(),
    leftOut: z.boolean().optional(),
    /** Of the answers that were shown, where a line is held because they have changed. Absent: whatever they are by now. */
    comparedAt: moment.nullable().optional(),
  }),
  reply: move,
  errors: ['validation_failed', 'not_found', 'conflict'],
});

export const setMoveCode = defineOperation({
  id: 'moves.setCode',
  method: 'POST',
  path: '/move/:id/line/:lineId/code',
  summary: 'Enter another auth code for a line that is not under way. It is checked again',
  access: 'orders.purchase',
  audit: 'moves.setCode',
  params: lineParams,
  body: z.object({ code: z.string().trim().pipe(oneLine(64)) }),
  reply: move,
  errors: ['validation_failed', 'not_found', 'unprocessable'],
});

export const lookAtMove = defineOperation({
  id: 'moves.look',
  method: 'POST',
  path: '/move/:id/look',
  summary: 'Check lines again, or compare their DNS again after the move',
  access: 'orders.purchase',
  audit: { none: 'It asks the registrar and the DNS, and changes nothing.' },
  params: idParams,
  body: z.object({ lineIds }),
  reply: move,
  errors: ['validation_failed', 'not_found'],
  rate: 'transferCheck',
});

export const orderMove = defineOperation({
  id: 'moves.order',
  method: 'POST',
  path: '/move/:id/order',
  summary: 'Order the transfer of lines that are ready, for the total that was shown',
  access: 'orders.purchase',
  audit: 'orders.transfer',
  params: idParams,
  body: z.object({ lineIds, price: usd }),
  reply: move,
  errors: purchase.errors,
  rate: 'purchase',
  idempotent: true,
});

export const dropMove = defineOperation({
  id: 'moves.drop',
  method: 'DELETE',
  path: '/move/:id',
  summary: 'Delete what is not ordered of a list, with its codes. A list without orders disappears',
  access: 'orders.purchase',
  audit: 'moves.drop',
  params: idParams,
  reply: noData,
  errors: ['not_found'],
});
