import { AppError } from '#contracts/errors.ts';
import type { OwnTemplate } from '#contracts/operations/dns-templates.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { recordKey } from '#contracts/values/dns-records.ts';
import { marksIn } from '#contracts/values/dns-templates.ts';
import { templateMostBytes, templateTooLarge } from '#contracts/values/limits.ts';
import { flatRecords, type RecordsByType } from '#contracts/values/zone-changes.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Tx } from '#kernel/db/database.ts';
import type { Scope } from '#kernel/scope.ts';
import * as repo from './templates.repo.ts';

const movedText = 'Somebody changed this template in between. Please look again.';

/** What every act on a template needs: the present one, its next version, and the log. */
export function createTemplateDesk({ clock }: { clock: Clock }) {
  async function log(
    tx: Tx,
    scope: Scope,
    action: AuditAction,
    template: { id: string; name: string },
    change: { before?: unknown; after?: unknown },
  ): Promise<void> {
    const object = { objectKind: 'dns template', object: template.name, customerId: null };
    await audit(tx, scope, { at: clock.now(), action, ...object, ...change });
  }

  async function one(tx: Tx, scope: Scope, id: string): Promise<OwnTemplate> {
    const [found] = await repo.listTemplates(tx, scope, id);
    if (!found) throw new AppError('not_found');
    return found;
  }

  async function renew(
    tx: Tx,
    scope: Scope,
    id: string,
    content: repo.TemplateContent & { version: number },
  ): Promise<void> {
    await repo.updateTemplate(tx, scope, id, content);
    await repo.insertVersion(tx, scope, id, { ...content, now: clock.now() });
  }

  async function requireVersion(tx: Tx, scope: Scope, id: string, version: number) {
    const present = await repo.lockTemplate(tx, scope, id);
    if (!present) throw new AppError('not_found');
    if (present.version !== version) {
      throw new AppError('conflict', { message: movedText, data: await one(tx, scope, id) });
    }
    return present;
  }

  return { log, one, renew, requireVersion };
}

export type TemplateDesk = ReturnType<typeof createTemplateDesk>;

/** Of a size that can be kept, with a variable for each mark, and no record twice. */
export function requireSound({ records, variables }: Omit<repo.TemplateContent, 'name'>): void {
  const refuse = (path: string, message: string) => {
    throw new AppError('validation_failed', { message, details: [{ path, message }] });
  };
  if (Buffer.byteLength(JSON.stringify(records)) > templateMostBytes) refuse('records', templateTooLarge);
  const flat = recordsOf(records);
  const known = new Set(variables.map(({ key }) => key));
  if (known.size < variables.length) refuse('variables', 'A variable is listed twice');
  const unknown = marksIn(flat).find((mark) => !known.has(mark));
  if (unknown) refuse('records', `There is no variable for {${unknown}}`);
  if (new Set(flat.map((record) => recordKey(record as never))).size < flat.length) {
    refuse('records', 'A record is listed twice');
  }
}

/** The records as those who fill them in take them. */
export const recordsOf = (records: RecordsByType) => flatRecords(records).map((record) => ({ ...record }));
