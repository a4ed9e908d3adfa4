import {
  changeZone,
  createGlue,
  deleteGlue,
  exportZone,
  forceNameservers,
  getDnssec,
  getZone,
  getZoneVersion,
  importZone,
  lastRecordChanges,
  listGlue,
  listZoneVersions,
  removeDnssec,
  updateGlue,
} from '#contracts/operations/dns.ts';
import { findRecords } from '#contracts/operations/dns-records.ts';
import * as ofTemplates from '#contracts/operations/dns-templates.ts';
import { type Binding, bind, FileReply } from '#kernel/binding.ts';
import type { DnsApi } from './dns.service.ts';

export function dnsRoutes({ zones, findRecords: find, nameservers, dnssec, templates }: DnsApi): Binding[] {
  return [
    bind(getZone, ({ scope, params }) => zones.show(scope, params.domain)),
    bind(findRecords, ({ scope, query }) => find(scope, query.search)),
    bind(changeZone, ({ scope, params, body }) => zones.change(scope, params.domain, body)),
    bind(listZoneVersions, ({ scope, params }) => zones.versions(scope, params.domain)),
    bind(lastRecordChanges, ({ scope, params }) => zones.lastChanges(scope, params.domain)),
    bind(getZoneVersion, ({ scope, params }) => zones.version(scope, params.domain, params.id)),
    bind(exportZone, async ({ scope, params, query }) => {
      const text = await zones.export(scope, params.domain, query.id);
      // RFC 4027.
      return new FileReply(Buffer.from(text), 'text/dns; charset=utf-8', `${params.domain}.zone`);
    }),
    bind(importZone, ({ scope, params, body }) => zones.preview(scope, params.domain, body.text)),
    bind(forceNameservers, ({ scope, params, body }) =>
      nameservers.force(scope, params.domain, body.dnssecConfirmed),
    ),
    bind(listGlue, ({ scope, params }) => nameservers.list(scope, params.domain)),
    bind(createGlue, ({ scope, params, body }) => nameservers.create(scope, params.domain, body)),
    bind(updateGlue, ({ scope, params, body }) => nameservers.update(scope, params.domain, body)),
    bind(deleteGlue, ({ scope, params, body }) => nameservers.remove(scope, params.domain, body.name)),
    bind(getDnssec, ({ scope, params }) => dnssec.read(scope, params.domain)),
    bind(removeDnssec, ({ scope, params }) => dnssec.remove(scope, params.domain)),
    bind(ofTemplates.listDnsTemplates, ({ scope }) => templates.list(scope)),
    bind(ofTemplates.saveDnsTemplate, ({ scope, body }) => templates.save(scope, body)),
    bind(ofTemplates.changeDnsTemplate, ({ scope, params, body }) =>
      templates.change(scope, params.id, body),
    ),
    bind(ofTemplates.listTemplateUses, ({ scope, params, query }) =>
      templates.listUses(scope, params.id, query),
    ),
    bind(ofTemplates.checkDnsTemplate, async ({ scope, params }) => {
      await templates.check(scope, params.id);
      return {};
    }),
    bind(ofTemplates.acceptDrift, ({ scope, params, body }) => templates.accept(scope, params.id, body)),
    bind(ofTemplates.forgetTemplateUses, ({ scope, params, body }) =>
      templates.forget(scope, params.id, body.domains),
    ),
    bind(ofTemplates.deleteDnsTemplate, async ({ scope, params }) => {
      await templates.remove(scope, params.id);
      return {};
    }),
  ];
}
