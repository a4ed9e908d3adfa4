import type { Plant } from '../bug.ts';
import { planted } from './kinds.ts';

const features = 'src/server/features';
const changesTest = `${features}/changes/changes.db.test.ts`;
const settingsTest = `${features}/changes/setting-changes.db.test.ts`;
const templatesTest = `${features}/changes/template-changes.db.test.ts`;
const movesTest = 'tests/api/moves.test.ts';
const attentionTest = 'tests/api/attention.test.ts';

/** With the titles of the tests that have to notice it: the others of the file take minutes. */
const noticedBy = (only: string, plants: Plant[]): Plant[] => plants.map((plant) => ({ ...plant, only }));

/** Guards, claims and limits of what is done to many domains at once, and of what needs attention. */
export const plantsInFleet: readonly Plant[] = [
  ...planted(`${features}/changes/change-acts.ts`, changesTest, ({ without, changed }) => [
    changed(`if (meant !== expected)`, `if (meant < expected)`),
    changed(`if (meant !== expected)`, `if (meant > expected)`),
    changed(`if (open > 0)`, `if (open > 1)`),
    changed(`if (await repo.hasOpenUndo(tx, scope, id)) {`, `if (await repo.hasOpenUndo(tx, scope, '')) {`),
    without(
      `      if (!mayAct(change.state, 'discard')) throw new AppError('conflict', { message: othersMeant });\n`,
    ),
    without(`      await itemsRepo.cancelItems(tx, scope, id);\n`),
    without(
      `      if (!mayAct(change.state, 'undo')) throw new AppError('conflict', { message: othersMeant });\n`,
    ),
    without(
      `      if (chosen && !mayAct(change.state, 'apply')) throw new AppError('conflict', { message: appliedText });\n`,
    ),
  ]),
  ...planted(`${features}/changes/change-acts.ts`, settingsTest, ({ changed }) => [
    changed(`if (await itemsRepo.isApplying(tx, scope, id)) {`, `if (id === '') {`),
  ]),
  ...planted(`${features}/changes/desk.ts`, changesTest, ({ without }) => [
    without(
      `      if (!mayAct(change.state, act)) throw new AppError('conflict', { message: othersMeant });\n`,
    ),
  ]),
  ...planted(`${features}/changes/runs.ts`, changesTest, ({ changed }) => [
    changed(`if (!standing || standing.role === 'MSP_CUSTOMER') return null;`, `if (!standing) return null;`),
    changed(`if (dueMs !== null) {`, `if (dueMs === 0) {`),
    changed(`if (state !== 'done' || !change.undoes) return;`, `if (!change.undoes) return;`),
    changed(`if (change?.state === 'draft') await repo.deleteChange(tx, ref, change.id);`, ''),
  ]),
  ...planted(`${features}/changes/zone-items.ts`, changesTest, ({ changed }) => [
    changed(`if (isSamePlan(looked.plan as Done, seen)) return null;`, `return null;`),
    changed(`if (error instanceof AppError && error.code === 'zone_changed') return false;`, ''),
  ]),
  ...planted(`${features}/changes/zone-items.ts`, templatesTest, ({ changed }) => [
    changed(`memoryNote: inUse ? forgottenNote : null`, `memoryNote: null`),
    changed(`memoryNote: isNew ? watchedNote : null`, `memoryNote: null`),
  ]),
  ...noticedBy(
    'a job looks at forty lines at most',
    planted(`${features}/moves/sweep.ts`, movesTest, ({ changed }) => [
      changed(`let left = linesOfJob;`, `let left = 1_000;`),
      changed(`if (await repo.isAnyDue(tx, clock.now())) await repo.sweepSoon(tx);`, ''),
    ]),
  ),
  ...noticedBy(
    'in the name of somebody who became a customer',
    planted(`${features}/moves/sweep.ts`, movesTest, ({ changed }) => [
      changed(`return scope && holds(scope, 'orders.purchase') ? scope : null;`, `return scope;`),
    ]),
  ),
  ...noticedBy(
    'in the name of somebody who (?:was removed|had)',
    planted(`${features}/moves/sweep.ts`, movesTest, ({ changed }) => [
      changed(`access.hasLeft ? null : standingOf(access)`, `standingOf(access)`),
    ]),
  ),
  ...noticedBy(
    'is not put in order after the transfer',
    planted(`${features}/moves/sweep.ts`, movesTest, ({ changed }) => [
      changed(
        `        if (!scope) return heldByNobody();\n        return steps.stage(scope, line);`,
        `        return steps.stage(scope ?? { organisationId: line.organisationId } as never, line);`,
      ),
    ]),
  ),
  ...noticedBy(
    'of nothing, or of too much, is refused',
    planted(`${features}/moves/moves.service.ts`, movesTest, ({ changed }) => [
      changed(`pasted.length > mostMoveLines`, `pasted.length > mostMoveLines + 1`),
    ]),
  ),
  ...noticedBy(
    'is ordered once, however many order it at once',
    planted(`${features}/moves/ordering.ts`, movesTest, ({ changed }) => [
      changed(`count < lines.length`, `count < 0`),
    ]),
  ),
  ...noticedBy(
    'what differs is compared again for a day',
    planted(`${features}/moves/dns-steps.ts`, movesTest, ({ changed }) => [
      changed(`!isComparedOn(line, now)`, `false`),
      changed(`!isComparedOn(line, now)`, `true`),
    ]),
  ),
  ...noticedBy(
    'only colleagues can own an entry',
    planted(`${features}/attention/attention.service.ts`, attentionTest, ({ changed }) => [
      changed(`if (ownerId && !(await isColleague(tx, scope, ownerId))) {`, `if (ownerId === '') {`),
    ]),
  ),
  ...planted(
    `${features}/attention/attention.service.ts`,
    `${features}/attention/put-off.db.test.ts`,
    ({ changed }) => [changed(`if (!isChanged) throw`, `if (false) throw`)],
  ),
  ...noticedBy(
    'pages follow each other without a gap',
    planted(`${features}/attention/attention.service.ts`, attentionTest, ({ changed }) => [
      changed(`rows.length > limit`, `rows.length >= limit`),
    ]),
  ),
  ...planted(`${features}/attention/reconcile.ts`, attentionTest, ({ changed, without }) => [
    without(`      await takeMarks(tx, cause, question);\n`),
    without(`      await lockCause(tx, cause, question);\n`),
    changed(`for (const cause of attentionCauses) await reconcileLogged(cause, isAll ? null : ids);`, ''),
  ]),
];
