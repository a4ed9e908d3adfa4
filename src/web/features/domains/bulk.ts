import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DomainRow } from '#contracts/operations/domains.ts';
import { call } from '../../lib/api-client.ts';
import { messageOf } from '../../lib/api-error.ts';
import { showToast } from '../../ui/toast-store.ts';
import { domainKeys } from './api.ts';

export type BulkAct = 'auto-renew-on' | 'auto-renew-off' | 'lock';

const running: Record<BulkAct, string> = {
  'auto-renew-on': 'Turning auto renew on',
  'auto-renew-off': 'Turning auto renew off',
  lock: 'Locking',
};
const done: Record<BulkAct, string> = {
  'auto-renew-on': 'Auto renew is on',
  'auto-renew-off': 'Auto renew is off',
  lock: 'Locked',
};
/** So many domains are changed at once: the registrar is everybody's. */
const atOnce = 4;

export interface BulkState {
  text: string;
  running: boolean;
  failures: { address: string; message: string }[];
}

type Changed = Pick<DomainRow, 'address' | 'autoRenew'>;

/** The same change on several domains, each by its own call, each with its own end. */
export function useBulk() {
  const client = useQueryClient();
  const [state, setState] = useState<BulkState | null>(null);

  async function run(act: BulkAct, rows: readonly Changed[]): Promise<void> {
    const waiting = [...rows];
    const failures: BulkState['failures'] = [];
    let finished = 0;
    const tell = () =>
      setState({ text: `${running[act]}: ${finished} of ${rows.length}`, running: true, failures });
    tell();
    const work = async () => {
      for (let row = waiting.shift(); row; row = waiting.shift()) {
        const { address } = row;
        await change(act, address).catch((error: unknown) => {
          failures.push({ address, message: messageOf(error) });
        });
        finished += 1;
        tell();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    await client.invalidateQueries({ queryKey: domainKeys.all });
    const good = rows.length - failures.length;
    setState({ text: `${done[act]}: ${good} of ${rows.length} domains`, running: false, failures });
    offerUndo(act, rows, failures);
  }

  /** Auto renew goes back to what it was; a lock is opened on the domain's own screen alone. */
  function offerUndo(act: BulkAct, rows: readonly Changed[], failures: BulkState['failures']) {
    if (act === 'lock') return;
    const failed = new Set(failures.map(({ address }) => address));
    const wasOn = act === 'auto-renew-off';
    const changed = rows.filter((row) => row.autoRenew === wasOn && !failed.has(row.address));
    if (changed.length === 0) return;
    const before = changed.map((row) => ({ ...row, autoRenew: !wasOn }));
    showToast({
      text: `${done[act]} for ${changed.length === 1 ? changed[0]?.address : `${changed.length} domains`}.`,
      undo: () => void run(wasOn ? 'auto-renew-on' : 'auto-renew-off', before),
    });
  }

  return { state, run, forget: () => setState(null) };
}

function change(act: BulkAct, domain: string): Promise<unknown> {
  if (act === 'lock') return call('POST /domain/lock_domain', { body: { domain } });
  return call('POST /domain/auto_renew', { body: { domain, enabled: act === 'auto-renew-on' } });
}
