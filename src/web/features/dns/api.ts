import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Zone, zoneConflict } from '#contracts/operations/dns.ts';
import { type DnsRecord, recordKey } from '#contracts/values/dns-records.ts';
import { flatRecords, type RecordsByType, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { call, callFile } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useLaterQuery } from '../../lib/later-query.ts';
import { useMutation } from '../../lib/mutation.ts';
import type { CallBody, CallReply } from '../../lib/operations.ts';
import { readAgain, waitsForPeople } from '../../lib/read-again.ts';

const dnsKeys = {
  zone: (domain: string) => ['dns', domain, 'zone'] as const,
  versions: (domain: string) => ['dns', domain, 'versions'] as const,
  lastChanges: (domain: string) => ['dns', domain, 'last-changes'] as const,
  glue: (domain: string) => ['dns', domain, 'glue'] as const,
  templates: ['dns', 'templates'] as const,
};

export function useZone(domain: string) {
  return useQuery({
    queryKey: dnsKeys.zone(domain),
    queryFn: ({ signal }) => call('GET /:domain/zone', { params: { domain }, signal }),
    // Others edit it too: what is shown is asked again each time the tab is opened.
    staleTime: 0,
  });
}

export interface ZoneEdit {
  /** What was shown when the changes were made. */
  base: Zone;
  changes: readonly ZoneChange[];
  reason?: string;
}

/** Saves changes as one. The zone that comes back is shown at once. */
export function useChangeZone(domain: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ base, changes, reason }: ZoneEdit) =>
      call('PUT /:domain/zone', {
        params: { domain },
        body: { records: changes.map(wireOf), version: base.version, ...(reason ? { reason } : {}) },
      }),
    onSuccess: ({ warnings: _seenBefore, ...zone }) => {
      client.setQueryData(dnsKeys.zone(domain), zone);
      void readHistoryAgain(client, domain);
    },
    onError: (error) => {
      const theirs = conflictOf(error)?.theirs;
      if (theirs) client.setQueryData(dnsKeys.zone(domain), theirs);
      else if (error instanceof ApiError && error.status !== 400) {
        void client.invalidateQueries({ queryKey: dnsKeys.zone(domain) });
      }
      void readHistoryAgain(client, domain);
    },
  });
}

/** The search finds records of all zones. A write whose outcome is not known waits for a person, until a later one is through. */
const readHistoryAgain = (client: QueryClient, domain: string) =>
  readAgain(client, dnsKeys.versions(domain), dnsKeys.lastChanges(domain), ['zones'], ...waitsForPeople);

type WireChange = CallBody<'PUT /:domain/zone'>['records'][number];

function wireOf(change: ZoneChange): WireChange {
  const { type, subdomain, ...fields } = change.record;
  if (change.action !== 'update' || !change.old) return { type, subdomain, action: change.action, fields };
  const { type: _type, subdomain: _subdomain, ...old } = change.old;
  return { type, subdomain, action: change.action, fields, old };
}

export type Conflict = NonNullable<ReturnType<typeof conflictOf>>;

/** The zone as somebody else left it, and which changes that touches. */
export function conflictOf(error: Error | null) {
  if (!(error instanceof ApiError) || error.code !== 'zone_changed') return null;
  return zoneConflict.safeParse(error.data).data ?? null;
}

/** The server's word with what it says about single changes. */
export function textsOf(error: Error): string[] {
  const details = error instanceof ApiError ? error.details.map(({ message }) => message) : [];
  return [...new Set([error.message, ...details])];
}

export const recordsIn = (zone: Pick<Zone, 'records'>): DnsRecord[] => flatRecords(zone.records);

export function useZoneVersions(domain: string) {
  return useLaterQuery({
    queryKey: dnsKeys.versions(domain),
    queryFn: ({ signal }) => call('GET /:domain/zone/versions', { params: { domain }, signal }),
    staleTime: 0,
  });
}

export type LastChange = CallReply<'GET /:domain/zone/last-changes'>[number];

/** Who changed each record last, by the record's key. Nothing while it is not known: the records do not wait for it. */
export function useLastChanges(domain: string): ReadonlyMap<string, LastChange> {
  const { data } = useLaterQuery({
    queryKey: dnsKeys.lastChanges(domain),
    queryFn: ({ signal }) => call('GET /:domain/zone/last-changes', { params: { domain }, signal }),
    staleTime: 0,
  });
  return new Map(data?.map((change) => [recordKey(change.record as DnsRecord), change]));
}

export function useZoneVersion(domain: string, id: string | null) {
  return useQuery({
    queryKey: [...dnsKeys.versions(domain), id],
    queryFn: ({ signal }) =>
      call('GET /:domain/zone/versions/:id', { params: { domain, id: id ?? '' }, signal }),
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Saves the zone, or one of its versions, as a file on this computer. */
export function useExportZone(domain: string) {
  return useMutation({
    mutationFn: async (id?: string) => {
      const query = id ? { id } : {};
      const { blob, fileName } = await callFile('GET /:domain/zone/export', { params: { domain }, query });
      const address = URL.createObjectURL(blob);
      const link = document.createElement('a');
      link.href = address;
      link.download = fileName;
      link.click();
      URL.revokeObjectURL(address);
    },
  });
}

export function useImportPreview(domain: string) {
  return useMutation({
    mutationFn: (text: string) => call('POST /:domain/zone/import', { params: { domain }, body: { text } }),
  });
}

export function useTemplates(enabled: boolean) {
  return useQuery({
    queryKey: dnsKeys.templates,
    queryFn: ({ signal }) => call('GET /dns/templates', { signal }),
    enabled,
  });
}

export function useSaveTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; records: RecordsByType }) => call('POST /dns/templates', { body }),
    onSettled: () => client.invalidateQueries({ queryKey: dnsKeys.templates }),
  });
}

export function useDeleteTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /dns/templates/:id', { params: { id } }),
    // Refused, it was deleted by somebody else.
    onSettled: () => client.invalidateQueries({ queryKey: dnsKeys.templates }),
  });
}

export function useGlue(domain: string) {
  return useQuery({
    queryKey: dnsKeys.glue(domain),
    queryFn: ({ signal }) => call('GET /:domain/nameserver', { params: { domain }, signal }),
  });
}

export type GlueChange =
  | { kind: 'create'; body: CallBody<'POST /:domain/nameserver'> }
  | { kind: 'update'; body: CallBody<'PUT /:domain/nameserver'> }
  | { kind: 'delete'; body: CallBody<'DELETE /:domain/nameserver'> };

export function useChangeGlue(domain: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: GlueChange) => {
      const params = { domain };
      switch (change.kind) {
        case 'create':
          return call('POST /:domain/nameserver', { params, body: change.body });
        case 'update':
          return call('PUT /:domain/nameserver', { params, body: change.body });
        case 'delete':
          return call('DELETE /:domain/nameserver', { params, body: change.body });
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: dnsKeys.glue(domain) }),
  });
}
