import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { changeMove, createMove, Move } from '#contracts/operations/moves.ts';
import { authCodeProblem, mostMoveLines, readMoveLines } from '#contracts/values/move-lines.ts';
import { dayMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import { inTransaction, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import type { CustomersApi } from '../customers/index.ts';
import type { Head } from './heads.repo.ts';
import type { Line } from './line.ts';
import { chosen, createLooking, type LookingDeps } from './looking.ts';
import * as repo from './moves.repo.ts';
import { acceptedOf, isOtherThanShown } from './old-zone.rules.ts';
import { createOrdering, type OrderingDeps } from './ordering.ts';
import { codeContext } from './sealed.repo.ts';
import { createSweep, type SweepDeps } from './sweep.ts';

export interface MovesDeps extends SweepDeps, LookingDeps, OrderingDeps {
  newId: (nowMs: number) => string;
  customers: Pick<CustomersApi, 'contactsForOrder'>;
}

export type MovesApi = ReturnType<typeof createMoves>;

/** Codes of what was never ordered are not kept for longer. */
const keptMs = 60 * dayMs;

/** Domains that come here together: pasted, checked, ordered through the order engine, and followed to their end. */
export function createMoves(deps: MovesDeps) {
  const { db, clock, seal } = deps;
  const looking = createLooking(deps);
  const { found, get } = looking;

  async function create(
    scope: Scope,
    { customerId, text }: BodyOf<typeof createMove>,
  ): Promise<{ id: string }> {
    const pasted = readMoveLines(text);
    if (pasted.length === 0) throw invalid('text', 'Please paste names with their codes');
    if (pasted.length > mostMoveLines) {
      throw invalid('text', `A list has at most ${mostMoveLines} names; this one has ${pasted.length}`);
    }
    const now = clock.now();
    const id = deps.newId(now.getTime());
    await inTransaction(db, scope, async (tx) => {
      const known = await deps.customers.contactsForOrder(tx, scope, customerId);
      if (!known) throw new AppError('not_found', { message: 'Please choose a customer' });
      await requireRoom(tx, 'moves', scope.organisationId, () => repo.countMoves(tx, scope));
      const lines = pasted.map((line) => {
        const lineId = deps.newId(now.getTime());
        return { ...line, id: lineId, ...sealedCode(scope, lineId, line.code) };
      });
      await repo.insertMove(tx, scope, { id, customerId, now, lines });
      await log(tx, scope, 'moves.create', { id, customerId }, { after: { lines: lines.length } });
      await repo.sweepSoon(tx);
    });
    return { id };
  }

  /** A code is shown to nobody again. One that is too long to be one is not kept. */
  function sealedCode({ organisationId }: Scope, lineId: string, code: string) {
    const isCode = code !== '' && code.length <= 300;
    const codeSealed = isCode ? seal.seal(code, codeContext(organisationId, lineId)) : null;
    return { codeSealed, codeProblem: authCodeProblem(code) };
  }

  function log(
    tx: Tx,
    scope: Scope,
    action: 'moves.create' | 'moves.change' | 'moves.setCode' | 'moves.drop',
    { id, customerId }: Pick<Head, 'id' | 'customerId'>,
    { object = id, ...states }: { before?: object; after?: object; object?: string },
  ) {
    return audit(tx, scope, { at: clock.now(), action, objectKind: 'move', object, customerId, ...states });
  }

  async function change(scope: Scope, id: string, body: BodyOf<typeof changeMove>): Promise<Move> {
    const { head, lines } = await found(scope, id);
    const named = chosen(lines, body.lineIds);
    const { dns, leftOut } = body;
    const accepted = acceptedAsShown(named, body);
    await inTransaction(db, scope, async (tx) => {
      await repo.setAuthor(tx, scope, id);
      const choice = { moveId: id, ids: body.lineIds, dns, leftOut, accepted, now: clock.now() };
      await repo.chooseLines(tx, scope, choice);
      const of = (line: Line) => ({ domain: line.address, dns: line.dns, leftOut: line.leftOut });
      const before = named.map(of);
      const after = before.map((line) => ({
        ...{ ...line, dns: dns ?? line.dns, leftOut: leftOut ?? line.leftOut },
      }));
      await log(tx, scope, 'moves.change', head, { before: { lines: before }, after: { lines: after } });
      await repo.sweepSoon(tx);
    });
    return get(scope, id);
  }

  async function setCode(scope: Scope, id: string, lineId: string, code: string): Promise<Move> {
    const { head, lines } = await found(scope, id);
    const [line] = chosen(lines, [lineId]);
    const problem = authCodeProblem(code);
    if (problem) throw invalid('code', problem);
    await inTransaction(db, scope, async (tx) => {
      const codeSealed = seal.seal(code, codeContext(scope.organisationId, lineId));
      const put = { id: lineId, codeSealed, codeProblem: null, now: clock.now() };
      await repo.setAuthor(tx, scope, id);
      if (!(await repo.putCode(tx, scope, put))) {
        throw new AppError('unprocessable', {
          message: `The transfer of ${line?.address} is under way already.`,
        });
      }
      await log(tx, scope, 'moves.setCode', head, { object: line?.address ?? id });
      await repo.sweepSoon(tx);
    });
    return get(scope, id);
  }

  async function look(scope: Scope, id: string, lineIds: readonly string[]): Promise<Move> {
    chosen((await found(scope, id)).lines, lineIds);
    await inTransaction(db, scope, async (tx) => {
      await repo.setAuthor(tx, scope, id);
      await repo.askAgain(tx, scope, { moveId: id, ids: lineIds, now: clock.now() });
      await repo.sweepSoon(tx);
    });
    return get(scope, id);
  }

  async function drop(scope: Scope, id: string): Promise<void> {
    const { head, lines } = await found(scope, id);
    await inTransaction(db, scope, async (tx) => {
      await repo.dropUnordered(tx, scope, id);
      const domains = lines.filter(({ itemId }) => itemId === null).map(({ address }) => address);
      await log(tx, scope, 'moves.drop', head, { before: { domains } });
    });
  }

  return {
    ...{ create, list: looking.list, get, zone: looking.zone, change, setCode, look, drop },
    order: createOrdering(deps, looking),
    tasks: {
      'moves.sweep': createSweep(deps),
      'moves.forget': () =>
        systemTransaction(deps.systemDb, (tx) =>
          repo.forgetUnordered(tx, new Date(clock.now().getTime() - keptMs)),
        ),
    },
  };
}

const invalid = (path: string, message: string) =>
  new AppError('validation_failed', { message, details: [{ path, message }] });

const changedAgain =
  'Its old DNS has changed once more since you looked at it. Please look at what has changed again.';

/** What a person takes upon themselves of what has changed at old DNS: nothing that they have not seen. */
function acceptedAsShown(lines: readonly Line[], { dns, comparedAt }: BodyOf<typeof changeMove>) {
  if (dns === 'bring' && lines.some((line) => isOtherThanShown(line, comparedAt))) {
    throw new AppError('conflict', { message: changedAgain });
  }
  return acceptedOf(lines, dns);
}
