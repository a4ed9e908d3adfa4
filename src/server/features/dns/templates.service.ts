import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { changeDnsTemplate, OwnTemplate } from '#contracts/operations/dns-templates.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import { createTemplateDesk, requireSound } from './template-desk.ts';
import { createTemplateUses } from './template-uses.service.ts';
import * as repo from './templates.repo.ts';

/** The organisation's own sets of records, their versions, and where they were applied. */
export function createTemplates(deps: { db: Db; clock: Clock; newId: (nowMs: number) => string }) {
  const { db, clock } = deps;
  const desk = createTemplateDesk(deps);
  const { log, one, renew, requireVersion } = desk;

  async function save(scope: Scope, given: repo.TemplateContent): Promise<OwnTemplate> {
    requireSound(given);
    const now = clock.now();
    const id = deps.newId(now.getTime());
    return named(() =>
      inTransaction(db, scope, async (tx) => {
        await requireRoom(tx, 'dnsTemplates', scope.organisationId, () => repo.countTemplates(tx, scope));
        await repo.insertTemplate(tx, scope, id, given);
        await repo.insertVersion(tx, scope, id, { ...given, version: 1, now });
        const { records, variables } = given;
        await log(
          tx,
          scope,
          'dns.saveTemplate',
          { id, name: given.name },
          { after: { id, records, variables } },
        );
        return one(tx, scope, id);
      }),
    );
  }

  async function change(
    scope: Scope,
    id: string,
    { version, ...given }: BodyOf<typeof changeDnsTemplate>,
  ): Promise<OwnTemplate> {
    requireSound(given);
    return named(() =>
      inTransaction(db, scope, async (tx) => {
        const before = await requireVersion(tx, scope, id, version);
        await renew(tx, scope, id, { ...given, version: version + 1 });
        const after = { version: version + 1, ...given };
        await log(tx, scope, 'dns.changeTemplate', { id, name: given.name }, { before, after });
        return one(tx, scope, id);
      }),
    );
  }

  async function remove(scope: Scope, id: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      const before = await repo.deleteTemplate(tx, scope, id);
      if (!before) throw new AppError('not_found');
      const { name, records } = before;
      await log(tx, scope, 'dns.deleteTemplate', { id, name }, { before: { id, records } });
    });
  }

  return {
    ...{ save, change, remove },
    ...createTemplateUses(deps, desk),
    list: (scope: Scope): Promise<OwnTemplate[]> =>
      inReading(db, scope, (tx) => repo.listTemplates(tx, scope)),
  };
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('already_exists', { message: 'A template with this name already exists.' });
  }
}
