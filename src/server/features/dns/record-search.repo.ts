import type { z } from 'zod';
import { type findRecords, foundRecordsMost } from '#contracts/operations/dns-records.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { containing, lowered } from '#kernel/db/search.ts';
import { type Scope, withinReach } from '#kernel/scope.ts';

export type FoundRecord = z.output<(typeof findRecords)['reply']>[number];

/** So many zones are taken apart at most: a word of the copies' own form, such as "hostname", is in all of them. */
const zonesMost = 500;

/**
 * Records whose name or value contains this text in lower case, of domains in reach. Zones are kept as the text that is
 * sent to people: comparing that first leaves few zones to be taken apart. 10,000 zones take a tenth of a second, so
 * there is no index that each reading of a zone would have to keep up.
 */
export async function findRecordsLike(tx: Tx, scope: Scope, search: string): Promise<FoundRecord[]> {
  const pattern = containing(search);
  // As the text is written in the copy.
  const inBody = containing(JSON.stringify(search).slice(1, -1));
  const { rows } = await sql<FoundRecord>`
    SELECT zone.address AS domain, r.type, r.subdomain, r.value
    FROM (
      SELECT d.address, c.body FROM domains d JOIN zone_copies c ON c.domain_id = d.id
      WHERE d.organisation_id = ${scope.organisationId} AND c.organisation_id = ${scope.organisationId}
        -- A copy of before the domain was delegated elsewhere is void.
        AND d.status IN ('active', 'expired') AND c.nameservers = d.nameservers
        AND ${withinReach(scope, 'd.customer_id')}
        AND (${lowered(sql`c.body`, inBody)} LIKE ${inBody} OR d.address LIKE ANY (${beginningsOfDomain(search)}))
      ORDER BY d.address LIMIT ${zonesMost}
    ) zone
    CROSS JOIN LATERAL (
      SELECT kind.key AS type, record ->> 'subdomain' AS subdomain,
        coalesce(record ->> 'ip_address', record ->> 'ipv6_address', record ->> 'hostname', record ->> 'text') AS value
      FROM json_each(zone.body::json #> '{data,records}') kind, json_array_elements(kind.value) record
    ) r
    WHERE ${lowered(sql`r.value`, pattern)} LIKE ${pattern} OR lower(r.subdomain) LIKE ${pattern}
      -- All records of a domain have its name: the domain is found by it, not each of them.
      OR (lower(r.subdomain) || '.' || zone.address LIKE ${pattern} AND zone.address NOT LIKE ${pattern})
    ORDER BY zone.address, r.type, r.subdomain, r.value
    LIMIT ${foundRecordsMost}`.execute(tx);
  return rows;
}

/** "vpn.mail.exa" may be the name "vpn.mail" of a domain that begins with "exa": patterns of such domains. */
function beginningsOfDomain(search: string): string[] {
  const labels = search.split('.');
  return labels.slice(1).flatMap((_, at) => {
    const rest = labels.slice(at + 1).join('.');
    return rest === '' ? [] : [containing(rest).slice(1)];
  });
}
