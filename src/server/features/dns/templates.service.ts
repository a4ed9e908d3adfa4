import { AppError } from '#contracts/errors.ts';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import { templateMostBytes, templateTooLarge } from '#contracts/values/limits.ts';
import type { RecordsByType } from '#contracts/values/zone-changes.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, isUniqueViolation } from '#kernel/db/database.ts';
import { requireRoom } from '#kernel/room.ts';
import type { Scope } from '#kernel/scope.ts';
import { countTemplates, deleteTemplate, insertTemplate, listTemplates } from './templates.repo.ts';

/** The organisation's own sets of records. */
export function createTemplates(deps: { db: Db; clock: Clock; newId: (nowMs: number) => string }) {
  const { db, clock } = deps;
  const log = (id: string, name?: string) => ({ objectKind: 'dns template', object: name ?? id });
  return {
    list: (scope: Scope): Promise<OwnTemplate[]> =>
      inTransaction(db, scope, (tx) => listTemplates(tx, scope)),

    async save(scope: Scope, given: { name: string; records: RecordsByType }): Promise<OwnTemplate> {
      const at = clock.now();
      const template = { id: deps.newId(at.getTime()), ...given };
      try {
        if (Buffer.byteLength(JSON.stringify(given.records)) > templateMostBytes) {
          const details = [{ path: 'records', message: templateTooLarge }];
          throw new AppError('validation_failed', { message: templateTooLarge, details });
        }
        await inTransaction(db, scope, async (tx) => {
          await requireRoom(tx, 'dnsTemplates', scope.organisationId, () => countTemplates(tx, scope));
          await insertTemplate(tx, scope, template);
          await audit(tx, scope, {
            at,
            action: 'dns.saveTemplate',
            ...log(template.id, given.name),
            after: { id: template.id, records: given.records },
          });
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new AppError('already_exists', { message: 'A template with this name already exists.' });
      }
      return template;
    },

    async remove(scope: Scope, id: string): Promise<void> {
      await inTransaction(db, scope, async (tx) => {
        const before = await deleteTemplate(tx, scope, id);
        if (!before) throw new AppError('not_found');
        await audit(tx, scope, {
          ...{ at: clock.now(), action: 'dns.deleteTemplate', ...log(id, before.name) },
          before: { id, records: before.records },
        });
      });
    },
  };
}
