import { sql, type Tx } from '#kernel/db/database.ts';

interface FoundPlace {
  domain: string;
  nameservers: string[];
}

export type Places = ReadonlyMap<string, FoundPlace>;

/** The customer's domain at or above each name, as the portal knows it. Names of others are not among them. */
export async function domainsAbove(
  tx: Tx,
  { organisationId, customerId }: { organisationId: string; customerId: string },
  names: readonly string[],
): Promise<Places> {
  const candidates = [...new Set(names.flatMap(namesAbove))];
  const rows = await tx
    .selectFrom('domains')
    .select(['address', 'nameservers'])
    .where('organisation_id', '=', organisationId)
    .where('customer_id', '=', customerId)
    .where('address', 'in', candidates)
    // Spelled out, as the indexes have it: a plan that is kept can use them.
    .where('status', '=', sql.lit('active'))
    .execute();
  const known = new Map(rows.map((row) => [row.address, row.nameservers]));
  const places = names.flatMap((name) => {
    const domain = namesAbove(name).find((above) => known.has(above));
    return domain === undefined ? [] : [[name, { domain, nameservers: known.get(domain) ?? [] }] as const];
  });
  return new Map(places);
}

/** The name itself and those above it, the longest first. */
function namesAbove(name: string): string[] {
  const labels = name.replace(/^\*\./, '').split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
