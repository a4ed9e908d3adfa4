import { expect, test } from 'vitest';
import { routed, scope } from '../../../../tests/support/routed.ts';
import { dnsRoutes } from './dns.routes.ts';

const [domain, id] = ['acme.com', 'an-id'];
const [params, query] = [
  { domain, id },
  { search: 'Mail', id: 'a-version' },
];
const body = { text: 'www A 192.0.2.1', name: 'ns1.acme.com', dnssecConfirmed: true, domains: ['a.com'] };

test.each<[string, unknown[]]>([
  ['dns.zone', ['zones.show', scope, domain]],
  ['dns.findRecords', ['findRecords', scope, 'Mail']],
  ['dns.changeZone', ['zones.change', scope, domain, body]],
  ['dns.versions', ['zones.versions', scope, domain]],
  ['dns.lastChanges', ['zones.lastChanges', scope, domain]],
  ['dns.version', ['zones.version', scope, domain, id]],
  ['dns.importPreview', ['zones.preview', scope, domain, body.text]],
  ['dns.forceNameservers', ['nameservers.force', scope, domain, true]],
  ['dns.glue', ['nameservers.list', scope, domain]],
  ['dns.createGlue', ['nameservers.create', scope, domain, body]],
  ['dns.updateGlue', ['nameservers.update', scope, domain, body]],
  ['dns.deleteGlue', ['nameservers.remove', scope, domain, body.name]],
  ['dns.dnssec', ['dnssec.read', scope, domain]],
  ['dns.removeDnssec', ['dnssec.remove', scope, domain]],
  ['dns.templates', ['templates.list', scope]],
  ['dns.saveTemplate', ['templates.save', scope, body]],
  ['dns.changeTemplate', ['templates.change', scope, id, body]],
  ['dns.templateUses', ['templates.listUses', scope, id, query]],
  ['dns.checkTemplate', ['templates.check', scope, id]],
  ['dns.acceptDrift', ['templates.accept', scope, id, body]],
  ['dns.forgetTemplate', ['templates.forget', scope, id, body.domains]],
  ['dns.deleteTemplate', ['templates.remove', scope, id]],
])('%s calls its own function', async (operation, call) => {
  expect((await routed(dnsRoutes, operation, { params, query, body })).call).toEqual(call);
});

test('an exported version of a zone is a file of the domain’s name, as text of the DNS', async () => {
  const asked: unknown[] = [];
  const zones = {
    export: async (...given: unknown[]) => {
      asked.push(given);
      return '$ORIGIN acme.com.';
    },
  };
  const binding = dnsRoutes({ zones } as never).find(({ operation }) => operation.id === 'dns.export');
  const file = await binding?.handler({ scope, params, query } as never);
  expect(asked).toEqual([[scope, domain, 'a-version']]);
  expect(file).toMatchObject({ fileName: 'acme.com.zone', contentType: 'text/dns; charset=utf-8' });
  expect(String((file as { content: Buffer }).content)).toBe('$ORIGIN acme.com.');
});
