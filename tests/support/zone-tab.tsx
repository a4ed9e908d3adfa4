import { expect, vi } from 'vitest';
import type { Zone } from '../../src/contracts/operations/dns.ts';
import type { DnsRecord } from '../../src/contracts/values/dns-records.ts';
import { groupRecords } from '../../src/contracts/values/zone-changes.ts';
// What the tab loads when it is needed is loaded already.
import '../../src/web/features/dns/change-review.tsx';
import '../../src/web/features/dns/history-dialog.tsx';
import '../../src/web/features/dns/import-dialog.tsx';
import '../../src/web/features/dns/record-dialog.tsx';
import '../../src/web/features/dns/template-dialog.tsx';
import { ManagedDnsTab } from '../../src/web/features/dns/managed-dns-tab.tsx';
import { type Answers, openScreen, refused, screen, within } from './screen.tsx';
import { recordOf } from './zones.ts';

/** The records of a.com on their tab, without a browser. */

export const apex = recordOf({ type: 'A', subdomain: '', ip_address: '192.0.2.1' });
export const web = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.2' });
export const mail = recordOf({ type: 'MX', subdomain: '', hostname: 'mx.b.net', priority: 10 });
export const note = recordOf({ type: 'TXT', subdomain: 'note', text: 'hello' });

export const zoneAt = (version: string, records: readonly DnsRecord[]): Zone => ({
  ...{ version, records: groupRecords(records), nameservers_ok: 1, staged: false },
});
/** What a saved change is answered with. */
export const savedAt = (version: string, records: readonly DnsRecord[]) => ({
  ...zoneAt(version, records),
  warnings: [],
});
/** Somebody else was there before; `touched`: indexes of what was sent. */
export const conflict = (theirs: Zone, ...touched: number[]) =>
  refused(409, 'zone_changed', {
    message: 'Someone changed these records in the meantime.',
    data: { theirs, touched: touched.map((index) => ({ index, message: 'This record was changed.' })) },
  });

const records = [apex, web, mail, note];
export const zoneAnswers: Answers = {
  'GET /:domain/zone': zoneAt('v1', records),
  'GET /:domain/zone/last-changes': [],
  'GET /:domain/zone/versions': [],
};

interface Opening {
  answers?: Answers;
  mayEdit?: boolean;
  mayTemplate?: boolean;
  /** Filters, as in the address. */
  search?: string;
}

export async function openZone({
  answers = {},
  mayEdit = true,
  mayTemplate = true,
  search = '',
}: Opening = {}) {
  const opened = await openScreen(
    () => <ManagedDnsTab address="a.com" mayEdit={mayEdit} mayTemplate={mayTemplate} />,
    { route: '/dns', path: `/dns${search}`, answers: { ...zoneAnswers, ...answers } },
  );
  return { ...opened, bodies: () => opened.sent('PUT /:domain/zone').map(({ body }) => body) };
}
export type OpenedZone = Awaited<ReturnType<typeof openZone>>;

export const button = (name: string | RegExp) => screen.getByRole('button', { name });
export const noButton = (name: string | RegExp) => expect(screen.queryByRole('button', { name })).toBeNull();
export const dialog = (name?: string | RegExp) =>
  within(screen.getByRole('dialog', name === undefined ? {} : { name }));
/** Each record's row as it reads. */
export const rows = () =>
  [...document.querySelectorAll('[data-record]')].map((row) =>
    [...row.querySelectorAll('td')]
      .slice(0, 5)
      .map(({ textContent }) => textContent)
      .filter((text) => text !== '1 hour' && text !== '')
      .join(' '),
  );

/** Lists that draw what is in sight have room for it. */
export function withRoom(): void {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
}

/** A part that was loaded when it was needed: the first time React lets it wait a moment. */
export const shown = (role: 'dialog' | 'form' | 'list', name: string | RegExp) =>
  screen.findByRole(role, { name }, { timeout: 60_000 });

/** As pasted: the machine does not draw the field again for each letter. */
export async function fill({ user }: Pick<OpenedZone, 'user'>, label: string | RegExp, text: string) {
  const field = screen.getByRole('textbox', { name: label });
  await user.clear(field);
  if (text !== '') await user.paste(text);
}
