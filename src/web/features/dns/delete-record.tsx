import type { Zone } from '#contracts/operations/dns.ts';
import { type DnsRecord, hostOf } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { conflictOf, useChangeZone } from './api.ts';
import { holds, type ZoneEditor } from './use-zone-editor.ts';

/** P2 §2: the specified question before a record is deleted. */
export function DeleteRecord(props: {
  domain: string;
  zone: Zone;
  record: DnsRecord;
  onCollect: ((change: ZoneChange) => void) | null;
  onSaved: ZoneEditor['saved'];
  onClose: () => void;
}) {
  const { domain, record } = props;
  const save = useChangeZone(domain);
  const theirs = conflictOf(save.error)?.theirs;
  const confirm = () => {
    const change: ZoneChange = { action: 'remove', record };
    if (props.onCollect) return props.onCollect(change);
    // After a conflict was shown, what is confirmed is the zone that was shown.
    const base = theirs ?? props.zone;
    if (theirs && !holds(theirs, record)) return props.onSaved(theirs, theirs, []);
    const changes = [change];
    save.mutate({ base, changes }, { onSuccess: (after) => props.onSaved(base, after, changes) });
  };
  return (
    <ConfirmDialog
      opened
      title="Are you sure you want to delete this record?"
      confirmLabel={theirs ? 'Delete anyway' : 'Delete'}
      runningLabel="Deleting..."
      running={save.isPending}
      error={save.error}
      danger
      onConfirm={confirm}
      onClose={props.onClose}
    >
      You are about to delete {record.type} record for {hostOf(record, domain)}
    </ConfirmDialog>
  );
}
