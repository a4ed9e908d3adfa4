import { QueryClient } from '@tanstack/react-query';
import { describe, expect, test } from 'vitest';
import type { Zone } from '#contracts/operations/dns.ts';
import { groupRecords, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { domain, id, type Reading, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { sentBy } from '../../../../tests/support/sent-by.tsx';
import { recordOf } from '../../../../tests/support/zones.ts';
import {
  type GlueChange,
  useChangeGlue,
  useChangeZone,
  useDeleteTemplate,
  useExportZone,
  useImportPreview,
  useSaveTemplate,
  type ZoneEdit,
} from './api.ts';

/** What the zone editor sends to the portal, and what it shows after each answer. */

const web = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.1' });
const moved = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.2' });
const mail = recordOf({ type: 'MX', subdomain: '', priority: 10, hostname: 'mx.a.com' });
const zoneAt = (version: string, records = [web]): Zone => ({
  ...{ version, records: groupRecords(records), nameservers_ok: 1, staged: false },
});
const key = ['dns', 'a.com', 'zone'];
const read = [
  ['dns', 'a.com', 'versions'],
  ['dns', 'a.com', 'last-changes'],
];

async function save(edit: ZoneEdit, answer: () => Response = () => Response.json({ data: zoneAt('new') })) {
  const client = new QueryClient();
  client.setQueryData(key, zoneAt('other'));
  for (const shown of read) client.setQueryData(shown, []);
  const [request, ...more] = await sentBy(
    () => useChangeZone('a.com'),
    (acts) => acts.mutateAsync(edit).catch(() => undefined),
    { client, answer },
  );
  expect(more).toEqual([]);
  return {
    request,
    shown: client.getQueryData<Zone>(key),
    isReadAgain: client.getQueryState(key)?.isInvalidated,
    isHistoryReadAgain: read.every((one) => client.getQueryState(one)?.isInvalidated),
  };
}

describe('a save', () => {
  const { type, subdomain, ...fields } = web;
  const at = { type, subdomain };
  const { type: _type, subdomain: _subdomain, ...movedFields } = moved;
  const { type: mailType, subdomain: mailName, ...mailFields } = mail;
  test.each<[string, ZoneChange[], object[]]>([
    ['a new record', [{ action: 'add', record: web }], [{ ...at, action: 'add', fields }]],
    ['a record that goes', [{ action: 'remove', record: web }], [{ ...at, action: 'remove', fields }]],
    [
      'a record that takes the place of one',
      [{ action: 'update', record: moved, old: web }],
      [{ ...at, action: 'update', fields: movedFields, old: fields }],
    ],
    [
      'several at once',
      [
        { action: 'remove', record: web },
        { action: 'add', record: mail },
      ],
      [
        { ...at, action: 'remove', fields },
        { type: mailType, subdomain: mailName, action: 'add', fields: mailFields },
      ],
    ],
  ])('sends %s, and which zone was seen when it was made', async (_what, changes, records) => {
    // By now the client has read another one: the changes were made on what the person saw.
    const { request } = await save({ base: zoneAt('seen'), changes });
    expect(request).toEqual({ method: 'PUT', path: '/api/a.com/zone', body: { records, version: 'seen' } });
  });

  test('sends why, where a person said so', async () => {
    const changes = [{ action: 'add' as const, record: web }];
    const { request } = await save({ base: zoneAt('seen'), changes, reason: 'New web server' });
    expect(request?.body).toMatchObject({ version: 'seen', reason: 'New web server' });
  });
});

describe('after a save', () => {
  const edit = { base: zoneAt('seen'), changes: [{ action: 'add' as const, record: mail }] };
  const refused = (status: number, code: string, data: unknown = null) =>
    save(edit, () => Response.json({ code, message: 'No', data }, { status }));

  test('the zone that came back is shown at once, and its history is read again', async () => {
    const saved = { ...zoneAt('new', [web, mail]), warnings: ['It has no SPF.'] };
    const { shown, isHistoryReadAgain } = await save(edit, () => Response.json({ data: saved }));
    expect(shown).toEqual(zoneAt('new', [web, mail]));
    expect(isHistoryReadAgain).toBe(true);
  });

  test('that somebody else was before, their zone is shown', async () => {
    const theirs = zoneAt('theirs', [moved]);
    const touched = [{ index: 0, message: 'It was changed.' }];
    const { shown, isHistoryReadAgain } = await refused(409, 'zone_changed', { theirs, touched });
    expect([shown, isHistoryReadAgain]).toEqual([theirs, true]);
  });

  test.each([
    [422, 'registrar_refused', true],
    [503, 'upstream_unavailable', true],
    // What was typed is wrong: the zone is what it was.
    [400, 'validation_failed', false],
  ])('that was answered by %i %s, the zone is read again: %s', async (status, code, isReadAgain) => {
    expect(await refused(status, code)).toMatchObject({ shown: zoneAt('other'), isReadAgain });
  });
});

test.each<[GlueChange, string]>([
  [{ kind: 'create', body: { name: 'ns1.a.com', ipaddress: '192.0.2.1' } }, 'POST'],
  [{ kind: 'update', body: { name: 'ns1.a.com', new_name: 'ns2.a.com', ipv6: null } }, 'PUT'],
  [{ kind: 'delete', body: { name: 'ns1.a.com' } }, 'DELETE'],
])('a nameserver host is changed as the dialog says: %o', async (change, method) => {
  const sent = await sentBy(
    () => useChangeGlue('a.com'),
    (acts) => acts.mutateAsync(change),
  );
  expect(sent).toEqual([{ method, path: '/api/a.com/nameserver', body: change.body }]);
});

function useWrites() {
  const [change, glue, preview] = [useChangeZone(domain), useChangeGlue(domain), useImportPreview(domain)];
  return { change, glue, preview, saveTemplate: useSaveTemplate(), deleteTemplate: useDeleteTemplate() };
}

const { type: webType, subdomain: webName, ...webFields } = web;
const history: Reading[] = ['versions', 'lastChanges', 'records', 'attention', 'attentionCounts', 'overview'];
const template = { name: 'Mail', records: groupRecords([web]) };

testWrites(useWrites, [
  [
    'a change of a zone',
    ({ change }) =>
      change.mutateAsync({ base: zoneAt('seen'), changes: [{ action: 'add', record: web }], reason: 'New' }),
    [
      'PUT /acme.com/zone',
      {
        records: [{ type: webType, subdomain: webName, action: 'add', fields: webFields }],
        ...{ version: 'seen', reason: 'New' },
      },
    ],
    // The zone itself comes with the answer.
    history,
    [...history, 'zone'],
  ],
  [
    'a nameserver host',
    ({ glue }) =>
      glue.mutateAsync({ kind: 'create', body: { name: 'ns1.acme.com', ipaddress: '192.0.2.1' } }),
    ['POST /acme.com/nameserver', { name: 'ns1.acme.com', ipaddress: '192.0.2.1' }],
    ['glue'],
    ['glue'],
  ],
  [
    'a nameserver host that moves',
    ({ glue }) =>
      glue.mutateAsync({ kind: 'update', body: { name: 'ns1.acme.com', new_name: 'ns2.acme.com' } }),
    ['PUT /acme.com/nameserver', { name: 'ns1.acme.com', new_name: 'ns2.acme.com' }],
    ['glue'],
    ['glue'],
  ],
  [
    'a nameserver host that goes',
    ({ glue }) => glue.mutateAsync({ kind: 'delete', body: { name: 'ns1.acme.com' } }),
    ['DELETE /acme.com/nameserver', { name: 'ns1.acme.com' }],
    ['glue'],
    ['glue'],
  ],
  [
    'a preview of a zone file',
    ({ preview }) => preview.mutateAsync('@ A 192.0.2.1'),
    ['POST /acme.com/zone/import', { text: '@ A 192.0.2.1' }],
    [],
    [],
  ],
  [
    'a template',
    ({ saveTemplate }) => saveTemplate.mutateAsync(template),
    ['POST /dns/templates', template],
    ['templates', 'uses'],
    ['templates', 'uses'],
  ],
  [
    'a template that is deleted',
    ({ deleteTemplate }) => deleteTemplate.mutateAsync(id),
    [`DELETE /dns/templates/${id}`],
    ['templates', 'uses'],
    ['templates', 'uses'],
  ],
]);

testFiles(
  () => useExportZone(domain),
  [
    ['the zone', (save) => save.mutateAsync(undefined), 'GET /acme.com/zone/export'],
    ['a version of it', (save) => save.mutateAsync('v1'), 'GET /acme.com/zone/export?id=v1'],
  ],
);
