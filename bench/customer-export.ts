import { csvColumns } from '../src/contracts/values/customer-csv.ts';
import { fill, openAccount } from './customer-list.ts';
import { median, ofRounds, type Result } from './result.ts';
import { urlOf } from './side-by-side.ts';
import { runNode, type Stand, startPortal } from './stand.ts';

const rows = 10_000;
/** As for lists: the engine compiles what it has run often. */
const warmUps = 8;
const rounds = 7;
const targetRatio = 0.5;

/** 10,000 customers to a file, from the question to its last byte, beside the database's own file of them. */
export async function measureCustomerExport(stand: Stand): Promise<Result> {
  await using portal = await startPortal({ ...stand.settings, ROLES: 'web' });
  const { token, organisationId } = await openAccount(stand, portal.url, 'export@msp.example');
  await fill(stand.databaseUrl, organisationId, 'export');
  await using floor = runNode(['bench/copy-floor.ts'], {
    ...{ DATABASE_URL: stand.databaseUrl, STATEMENT: statementOf(organisationId) },
  });
  const ours = {
    url: `${portal.url}/api/customer/csv/export`,
    headers: { authorization: `Bearer ${token}` },
  };
  const bare = { url: `${await urlOf(floor)}/file`, headers: {} };
  requireSameFile(await fetched(ours), await fetched(bare));
  for (let time = 0; time < warmUps; time += 1) await Promise.all([fetched(ours), fetched(bare)]);
  const pairs: { portalMs: number; floorMs: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { tookMs: floorMs } = await fetched(bare);
    const { tookMs: portalMs } = await fetched(ours);
    pairs.push({ portalMs, floorMs });
  }
  const spread = ofRounds(pairs.map(({ portalMs, floorMs }) => floorMs / portalMs));
  const { ratio } = spread;
  const [portalMs, floorMs] = [
    median(pairs.map((pair) => pair.portalMs)),
    median(pairs.map((pair) => pair.floorMs)),
  ];
  return {
    name: `export of ${rows} customers, COPY / portal`,
    measured: `${ratio.toFixed(2)} (${floorMs.toFixed(0)} / ${portalMs.toFixed(0)} ms)`,
    target: `≥ ${targetRatio}`,
    passed: ratio >= targetRatio,
    figures: { ...spread, portalMs, floorMs },
  };
}

interface File {
  lines: string[];
  tookMs: number;
}

async function fetched({ url, headers }: { url: string; headers: Record<string, string> }): Promise<File> {
  const askedAt = performance.now();
  const reply = await fetch(url, { headers });
  const bytes = await reply.arrayBuffer();
  const tookMs = performance.now() - askedAt;
  const text = new TextDecoder().decode(bytes);
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text}`);
  return { lines: text.split(/\r?\n/), tookMs };
}

/** The columns of the portal's file. Contacts that are the owner's stay empty. */
function statementOf(organisationId: string): string {
  const columns = csvColumns.map((column) => `nullif(${columnOf(column.split('_'))}, '') AS "${column}"`);
  return `SELECT ${columns.join(', ')} FROM customers
    WHERE organisation_id = '${organisationId}' AND deleted_at IS NULL ORDER BY id`;
}

function columnOf([part, kind = '', field = '', last = '']: string[]): string {
  if (part === 'customerId') return 'id::text';
  if (part === 'allowDomainSettings') return 'allow_domain_settings::text';
  if (part === 'markups') return `markups #>> '{${kind},${field},${last}}'`;
  if (part === 'billing') {
    const column = { billDirectly: 'bill_directly', allowChangeBilling: 'allow_change_billing' }[kind];
    return column ? `${column}::text` : 'billing_email';
  }
  const contact = kind === 'billing' ? 'billing_contact' : kind;
  // As the import reads it again, and so that no spreadsheet takes it for a sum.
  const value =
    field === 'phone' ? `'''' || replace(${contact} ->> 'phone', '.', ' ')` : `${contact} ->> '${field}'`;
  return kind === 'owner' ? value : `CASE WHEN ${contact} IS DISTINCT FROM owner THEN ${value} END`;
}

/** A floor that writes something else would prove nothing. */
function requireSameFile(portal: File, floor: File): void {
  const differs = portal.lines.findIndex((line, index) => line !== floor.lines[index]);
  if (portal.lines.length < rows || differs >= 0 || portal.lines.length !== floor.lines.length) {
    throw new Error(`the files differ:\n${portal.lines[differs]}\n${floor.lines[differs]}`);
  }
}
