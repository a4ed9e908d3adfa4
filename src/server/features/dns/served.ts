import { AppError } from '#contracts/errors.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import { servedDomain } from './places.repo.ts';
import { lastWritten } from './versions.repo.ts';

/** Throws unless a zone holds what was written last: nameservers that are ours would answer with less than that. */
export async function requireServed(
  db: Db,
  given: { organisationId: string; address: string },
): Promise<void> {
  const state = await inReading(db, given, async (tx) => {
    const row = await servedDomain(tx, given);
    if (!row) return null;
    const { id: domainId, organisation_id: organisationId, address, nameservers } = row;
    return lastWritten(tx, { domainId, organisationId, address, nameservers });
  });
  if (state === null || state === 'applied') return;
  throw new AppError('unprocessable', {
    message:
      state === 'refused'
        ? 'The registrar did not take its records. Please save them in its zone, then check again.'
        : 'The registrar has not confirmed its records yet.',
  });
}
