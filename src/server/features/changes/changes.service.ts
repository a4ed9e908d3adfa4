import { AppError } from '#contracts/errors.ts';
import type { BodyOf, QueryOf } from '#contracts/operation.ts';
import type {
  Change,
  ChangeItems,
  ChangeList,
  createChange,
  describeChange,
  listChangeItems,
  listChanges,
} from '#contracts/operations/changes.ts';
import { mostChangeItems, permissionFor } from '#contracts/values/changes.ts';
import { pastedName } from '#contracts/values/pasted-name.ts';
import { inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { requirePermission, type Scope } from '#kernel/scope.ts';
import type { DomainsApi } from '../domains/index.ts';
import { createChangeActs } from './change-acts.ts';
import * as repo from './changes.repo.ts';
import { createDesk, type DeskDeps, requireRound } from './desk.ts';
import * as itemsRepo from './items.repo.ts';
import { createRuns } from './runs.ts';
import { shown, shownIn, shownItem } from './shown.ts';

export interface ChangesDeps extends DeskDeps {
  domains: Pick<DomainsApi, 'list'>;
}

export type ChangesApi = ReturnType<typeof createChanges>;

const tooMany = `At most ${mostChangeItems} domains can be changed at once. Please choose fewer.`;

/** Changes of many domains: described, looked at, applied by jobs, undone as one. */
export function createChanges(deps: ChangesDeps) {
  const { db, clock } = deps;
  const runs = createRuns(deps);
  const desk = createDesk(deps, runs);
  const { acting, insert, log } = desk;

  async function create(scope: Scope, body: BodyOf<typeof createChange>): Promise<Change> {
    requirePermission(scope, permissionFor(body.request));
    const addresses = await addressesOf(scope, body.targets);
    return inTransaction(db, scope, (tx) => insert(tx, scope, { ...body, undoes: null, addresses }));
  }

  async function addressesOf(
    scope: Scope,
    targets: BodyOf<typeof createChange>['targets'],
  ): Promise<string[]> {
    if (targets.kind === 'names') return [...new Set(targets.names.map(pastedName))].filter(Boolean);
    const filter = targets.kind === 'filter' ? targets.filter : {};
    const { rows, total } = await deps.domains.list(scope, { ...filter, page: 1, pageSize: mostChangeItems });
    if (total > mostChangeItems) throw new AppError('unprocessable', { message: tooMany });
    return rows.map(({ address }) => address);
  }

  const describe = (scope: Scope, id: string, { round, ...body }: BodyOf<typeof describeChange>) =>
    acting(scope, id, 'describe', async (tx, change) => {
      requirePermission(scope, permissionFor(body.request));
      requireRound(change, round);
      if (change.request.kind === 'undo')
        throw new AppError('conflict', { message: 'What an undo does is not described.' });
      await beginLook(tx, scope, id, body);
      const { title, reason, request } = change;
      await log(tx, scope, id, 'changes.describe', { before: { title, reason, request }, after: body });
    });

  const look = (scope: Scope, id: string) =>
    acting(scope, id, 'look', (tx, change) => beginLook(tx, scope, id, change));

  async function beginLook(tx: Tx, scope: Scope, id: string, given: Parameters<typeof repo.beginLook>[3]) {
    await repo.beginLook(tx, scope, id, given);
    await itemsRepo.lookAgain(tx, scope, id, clock);
    await runs.enqueue(tx, 'look', { organisationId: scope.organisationId, changeId: id });
  }

  async function list(scope: Scope, query: QueryOf<typeof listChanges>): Promise<ChangeList> {
    const { limit, ...filter } = query;
    return inReading(db, scope, async (tx) => {
      const rows = await repo.listChanges(tx, scope, { ...filter, limit: limit + 1 });
      const some = rows.slice(0, limit);
      const counts = await repo.countsOf(
        tx,
        scope,
        some.map(({ id }) => id),
      );
      return { changes: some.map((row) => shown(row, counts(row.id))), more: rows.length > limit };
    });
  }

  async function items(
    scope: Scope,
    id: string,
    query: QueryOf<typeof listChangeItems>,
  ): Promise<ChangeItems> {
    const { limit, warned, ...filter } = query;
    return inReading(db, scope, async (tx) => {
      const wanted = { ...filter, warned: warned === 'true', limit: limit + 1 };
      const [change, rows] = await Promise.all([
        repo.findChange(tx, scope, id),
        itemsRepo.listItems(tx, scope, id, wanted),
      ]);
      if (!change) throw new AppError('not_found');
      const customerName = await itemsRepo.customersOf(tx, scope, rows);
      const shownRows = rows.slice(0, limit).map((row) => shownItem(row, customerName));
      return { items: shownRows, more: rows.length > limit };
    });
  }

  return {
    ...createChangeActs(deps, runs, desk),
    ...{ create, describe, look, list, items },
    get: (scope: Scope, id: string): Promise<Change> => inReading(db, scope, (tx) => shownIn(tx, scope, id)),
    tasks: runs.tasks,
  };
}
