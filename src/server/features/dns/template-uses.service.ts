import { AppError } from '#contracts/errors.ts';
import type { BodyOf, QueryOf } from '#contracts/operation.ts';
import type {
  acceptDrift,
  listTemplateUses,
  OwnTemplate,
  TemplateUses,
} from '#contracts/operations/dns-templates.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { acceptedRecords, domainValues, filledTemplate } from '#contracts/values/dns-templates.ts';
import { groupRecords } from '#contracts/values/zone-changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Scope } from '#kernel/scope.ts';
import { recordsOf, requireSound, type TemplateDesk } from './template-desk.ts';
import * as uses from './template-uses.repo.ts';

/** A template as a change of many domains asks a domain for it. */
export interface TemplateForDomain {
  name: string;
  /** Its records with all values in them. */
  wanted: DnsRecord[];
  /** What the domain has of it by now; null: it was never applied there. */
  use: uses.Use | null;
  filled: Record<string, string>;
}

/** Its records for a domain. What every domain has by itself goes before a given value of the same name. */
const filledFor = (
  { records }: Pick<OwnTemplate, 'records'>,
  filled: Readonly<Record<string, string>>,
  domain: string,
) => filledTemplate(recordsOf(records), { ...filled, ...domainValues(domain) });

/** Where templates were applied: what became of it, and what a change of many domains asks for. */
export function createTemplateUses(deps: { db: Db; clock: Clock }, desk: TemplateDesk) {
  const { db, clock } = deps;
  const { log, one, renew, requireVersion } = desk;

  /** The zone that drifted is right: a new version, which this domain has already and others get when it is rolled out. */
  async function accept(
    scope: Scope,
    id: string,
    { domain, version }: BodyOf<typeof acceptDrift>,
  ): Promise<OwnTemplate> {
    return inTransaction(db, scope, async (tx) => {
      const present = await requireVersion(tx, scope, id, version);
      const use = await uses.findUse(tx, scope, id, domain);
      if (!use) throw new AppError('not_found');
      if (use.state !== 'drifted' || use.version !== version) {
        throw new AppError('unprocessable', {
          message: 'This zone is not different from the present version.',
        });
      }
      const accepted = acceptedRecords(
        recordsOf(present.records),
        use.owned,
        use.drift,
        domain,
      ) as unknown as DnsRecord[];
      const content = { ...present, records: groupRecords(accepted), version: version + 1 };
      requireSound(content);
      await renew(tx, scope, id, content);
      const filled = filledFor(content, use.filled, domain);
      if (filled.ok) {
        const accord = { version: version + 1, filled: use.filled, owned: filled.records };
        await uses.setUse(tx, scope, { templateId: id, address: domain, use: accord });
      }
      const after = { version: version + 1, domain, records: content.records };
      await log(tx, scope, 'dns.acceptDrift', { id, name: present.name }, { before: { version }, after });
      return one(tx, scope, id);
    });
  }

  async function listUses(
    scope: Scope,
    id: string,
    { limit, ...page }: QueryOf<typeof listTemplateUses>,
  ): Promise<TemplateUses> {
    return inReading(db, scope, async (tx) => {
      const [rows] = await Promise.all([
        uses.listUses(tx, scope, id, { ...page, limit: limit + 1 }),
        one(tx, scope, id),
      ]);
      return { uses: rows.slice(0, limit), more: rows.length > limit };
    });
  }

  /** Jobs look at the zones; the screen shows what they find. */
  async function check(scope: Scope, id: string): Promise<void> {
    await inTransaction(db, scope, async (tx) => {
      await one(tx, scope, id);
      await uses.checkSoon(tx, scope, id, clock.now());
      await enqueueJob(tx, 'dns.check-templates', {}, { key: 'dns.check-templates' });
    });
  }

  async function forget(scope: Scope, id: string, domains: readonly string[]): Promise<OwnTemplate> {
    return inTransaction(db, scope, async (tx) => {
      const { name } = await one(tx, scope, id);
      await uses.dropUses(tx, scope, id, domains);
      await log(tx, scope, 'dns.forgetTemplate', { id, name }, { before: { domains } });
      return one(tx, scope, id);
    });
  }

  /** What a version asks of a domain. Values that are not given are those of when it was applied there before. */
  async function forDomain(
    tx: Tx,
    scope: Scope,
    wish: { templateId: string; version: number; values: Readonly<Record<string, string>> },
    domain: string,
  ): Promise<TemplateForDomain> {
    const [content, known] = await Promise.all([
      uses.findContent(tx, scope, wish.templateId, wish.version),
      uses.findUse(tx, scope, wish.templateId, domain),
    ]);
    if (!content) throw new AppError('unprocessable', { message: 'This template does not exist any more.' });
    const use = known ?? null;
    const given = Object.entries(wish.values).filter(([, value]) => value.trim() !== '');
    const filled: Record<string, string> = { ...use?.filled, ...Object.fromEntries(given) };
    const empty = content.variables.find(({ key }) => !Object.hasOwn(filled, key) || !filled[key]);
    if (empty) throw new AppError('unprocessable', { message: `There is no value for “${empty.label}”.` });
    const result = filledFor(content, filled, domain);
    if (!result.ok) throw new AppError('unprocessable', { message: result.problems[0]?.message ?? '' });
    return { name: content.name, wanted: result.records, use, filled };
  }

  return {
    ...{ accept, listUses, check, forget, forDomain },
    /** It was applied by a change of many domains. */
    remember: (
      tx: Tx,
      scope: Scope,
      applied: { templateId: string; address: string; changeId: string; use: uses.Use },
    ): Promise<void> => uses.saveUse(tx, scope, applied, clock.now()),
    /** That change is undone. */
    takeBack: (tx: Tx, scope: Scope, undone: { changeId: string; address: string }): Promise<void> =>
      uses.takeBackUse(tx, scope, undone, clock.now()),
  };
}
