import type { z } from 'zod';
import { AppError } from '#contracts/errors.ts';
import type { changeZone } from '#contracts/operations/dns.ts';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { type ChangeProblem, changing } from '#contracts/values/zone-changes.ts';
import { type ChangeWarning, changeWarnings } from '#contracts/values/zone-warnings.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import { inSlices } from '#kernel/give-way.ts';
import { recordsOfHash, type ZonePlace } from './versions.repo.ts';
import { conflictMessages, mergeVerdict, type SeenZone } from './zone-merge.rules.ts';
import { type PresentZone, replyOf } from './zone-reading.ts';

export type ChangeBody = z.output<(typeof changeZone)['body']>;

/** The records after the changes, or why they cannot be made: the caller's fault, or somebody else's change. */
export async function mergedRecords(
  db: Db,
  place: ZonePlace,
  now: PresentZone,
  body: ChangeBody,
): Promise<{ records: DnsRecord[]; warnings: ChangeWarning[] }> {
  const { address } = place;
  const result = await inSlices(changing(address, now.records, body.records));
  const done = () => ({
    records: result.records,
    warnings: changeWarnings(address, body.records, result),
  });
  const { version } = body;
  const seen =
    version === undefined || version === now.version
      ? 'as it is'
      : await seenBefore(db, place, version, body);
  const verdict = mergeVerdict({
    seen,
    now: now.records,
    changes: body.records,
    problems: result.problems,
  });
  if (verdict.kind === 'merge') return done();
  if (verdict.kind === 'invalid') throw invalid(verdict.problems);
  const touched = conflictMessages(address, body.records, verdict.touched, result.problems);
  throw new AppError('zone_changed', { data: { theirs: replyOf(now), touched } });
}

/** The zone that a change was made on, when it is another by now; null when nobody knows it any more. */
async function seenBefore(
  db: Db,
  place: ZonePlace,
  version: string,
  { records }: ChangeBody,
): Promise<SeenZone | null> {
  const base = await inReading(db, place, (tx) => recordsOfHash(tx, place, version));
  return (
    base && { records: base, problems: (await inSlices(changing(place.address, base, records))).problems }
  );
}

function invalid(problems: readonly ChangeProblem[]): AppError {
  const details = problems.map(({ index, message }) => ({ path: `records.${index}`, message }));
  return new AppError('validation_failed', { details });
}
