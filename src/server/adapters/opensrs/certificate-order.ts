import type { CertificateOrder, ValidationMethod } from '../../ports/registrar.ts';
import { readTag } from '../../ports/tag.ts';
import { cents, date, integer } from './fields.ts';
import { isMap, list, map, maps, oneLine, text, type XcpMap } from './xcp.ts';

const notePrefix = 'Order reference ';

/**
 * The tag once more, in the only free text that the query of certificate orders is documented to return (§16): whether
 * it returns `affiliate_id` too is not.
 */
export function tagNote(tag: string): string {
  return `${notePrefix}${tag}`;
}

export function certificateOrderOf(orderId: string, attributes: XcpMap): CertificateOrder {
  return {
    orderId: text(attributes, 'order_id') ?? orderId,
    domain: (text(attributes, 'domain') ?? '').toLowerCase(),
    productType: text(attributes, 'product_type') ?? '',
    state: (text(attributes, 'state') ?? '').toLowerCase(),
    productId: text(attributes, 'product_id'),
    approverEmail: text(attributes, 'approver_email'),
    validation: validationOf(attributes),
    ...readTag(text(attributes, 'affiliate_id') ?? tagFromNote(text(attributes, 'special_instructions'))),
    orderedAt: date(attributes, 'order_date'),
    costCents: cents(attributes, 'price'),
    ordered: { csr: text(attributes, 'csr'), years: integer(attributes, 'period') },
    notes: maps(attributes, 'notes_list').flatMap((note) => {
      const words = text(note, 'note');
      return words ? [{ at: date(note, 'date'), text: oneLine(words) }] : [];
    }),
  };
}

function tagFromNote(note: string | null): string | null {
  return note?.startsWith(notePrefix) ? note.slice(notePrefix.length).trim() : null;
}

const methods: Record<string, ValidationMethod> = {
  dns: 'DNS',
  cname: 'DNS',
  file: 'File',
  http: 'File',
  email: 'Email',
};

/** What each part may be called: the shape of `dv_auth_details` is not public (§19.12). */
const partNames = {
  dnsName: [
    'dns_name',
    'dns_record_name',
    'dns_host',
    'record_name',
    'cname_name',
    'hostname',
    'host',
    'name',
  ],
  dnsType: ['dns_type', 'dns_record_type', 'record_type', 'type'],
  dnsValue: ['dns_value', 'dns_record_value', 'dns_entry', 'record_value', 'cname_value', 'target', 'value'],
  filePath: ['file_path', 'file_name', 'filename', 'file_url', 'url', 'path'],
  fileContent: ['file_content', 'file_contents', 'file_value', 'contents', 'content'],
} as const;

function validationOf(attributes: XcpMap): CertificateOrder['validation'] {
  const details = detailMaps(attributes);
  const stated = text(attributes, 'dv_auth_method') ?? firstOf(details, ['dv_auth_method', 'method']);
  const method = methods[stated?.toLowerCase() ?? ''];
  if (!method) return null;
  const type = firstOf(details, partNames.dnsType)?.toUpperCase();
  const dns = method === 'DNS';
  const file = method === 'File';
  return {
    method,
    dnsName: dns ? firstOf(details, partNames.dnsName) : null,
    dnsType: dns && (type === 'TXT' || type === 'CNAME') ? type : null,
    dnsValue: dns ? firstOf(details, partNames.dnsValue) : null,
    filePath: file ? firstOf(details, partNames.filePath) : null,
    fileContent: file ? firstOf(details, partNames.fileContent) : null,
  };
}

/** `dv_auth_details` as a map, a list of maps, or maps inside a map. */
function detailMaps(attributes: XcpMap): XcpMap[] {
  const own = map(attributes, 'dv_auth_details');
  const inner = own ? Object.values(own).filter(isMap) : [];
  return [...list(attributes, 'dv_auth_details').filter(isMap), ...inner];
}

function firstOf(details: readonly XcpMap[], keys: readonly string[]): string | null {
  for (const key of keys) {
    for (const entry of details) {
      const value = text(entry, key);
      if (value) return value;
    }
  }
  return null;
}
