import { Progress } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { CustomerImport } from '#contracts/operations/customer-import.ts';
import { isUnderWay } from '#contracts/values/changes.ts';
import { countText } from '#contracts/values/format.ts';
import { useChange } from '../features/changes/api.ts';
import { changeStates, domainsText, progressOf } from '../features/changes/change-words.ts';
import { isRunning, useImport } from '../features/customers/import-api.ts';
import { useOrder } from '../features/orders/order-api.ts';
import { orderStates } from '../features/orders/order-texts.ts';
import { ApiError } from '../lib/api-error.ts';
import { type FollowedWork, stopFollowing, useFollowedWork } from '../lib/followed-work.ts';
import classes from './followed-lines.module.css';

/** How far long work is, wherever the person goes; when it has ended, that, until they have seen it. */
export default function FollowedLines() {
  const works = useFollowedWork();
  return works.map((work) => {
    const Line = lines[work.kind];
    return <Line key={work.id} id={work.id} />;
  });
}

const lines: Record<FollowedWork['kind'], (props: { id: string }) => React.ReactNode> = {
  change: ChangeLine,
  import: ImportLine,
  order: OrderLine,
};

function ChangeLine({ id }: { id: string }) {
  const { data, error } = useChange(id);
  const progress = data && progressOf(data);
  return (
    <Line
      {...{ id, error }}
      path={`/changes/${id}`}
      name={data?.title ?? null}
      under={data ? isUnderWay(data.state) || data.state === 'paused' : true}
      done={progress?.done ?? 0}
      of={progress?.of ?? 0}
      text={
        data && progress && isUnderWay(data.state)
          ? `${data.state === 'draft' ? 'looking' : 'applying'}, ${countText(progress.done)} of ${domainsText(progress.of)}`
          : (data && changeStates[data.state].text.toLowerCase()) || ''
      }
    />
  );
}

const importEnds: Record<Exclude<CustomerImport['state'], 'importing'>, string> = {
  // It was begun, and is to be looked at again: customers have changed since the file was checked.
  ready: 'not imported: please review it again',
  done: 'imported',
  discarded: 'not imported: it was discarded',
};

function importText({ state, progress }: CustomerImport): string {
  if (state !== 'importing') return importEnds[state];
  return `${countText(progress.done)} of ${countText(progress.total)} customers`;
}

export function ImportLine({ id }: { id: string }) {
  const { data, error } = useImport(id);
  const { done, total } = data?.progress ?? { done: 0, total: 0 };
  return (
    <Line
      {...{ id, error, done }}
      path={`/customers/import/${id}`}
      name={data?.fileName ?? null}
      under={data ? isRunning(data) : true}
      of={total}
      text={data ? importText(data) : ''}
    />
  );
}

function OrderLine({ id }: { id: string }) {
  const { data, error } = useOrder(id);
  const items = data?.items ?? [];
  // What the registry takes days for is not waited for here.
  const open = items.filter(({ state }) => state === 'queued' || state === 'sending' || state === 'unknown');
  const done = items.length - open.length;
  return (
    <Line
      {...{ id, error, done }}
      path={`/orders/${id}`}
      name={data ? 'Your order' : null}
      under={data ? open.length > 0 : true}
      of={items.length}
      text={
        data && open.length === 0
          ? orderStates[data.state].label.toLowerCase()
          : `${done} of ${items.length} items`
      }
    />
  );
}

function Line(props: {
  id: string;
  path: string;
  error: Error | null;
  /** Null while it is not known. */
  name: string | null;
  text: string;
  under: boolean;
  done: number;
  of: number;
}) {
  const { id, path, error, name, text, under, done, of } = props;
  const isHere = useLocation({ select: ({ pathname }) => pathname === path });
  // It was deleted, or belongs to whom was signed in before.
  const isGone = error instanceof ApiError && (error.code === 'not_found' || error.code === 'forbidden');
  const isSeen = isGone || (isHere && !under);
  const stop = useEffectEvent(() => stopFollowing(id));
  useEffect(() => {
    if (isSeen) stop();
  }, [isSeen]);
  if (isHere || isGone || name === null) return null;
  return (
    <section className={classes.line} aria-label={`Progress: ${name}`}>
      <span className={classes.name}>{name}</span>
      <span className={`${classes.text} number`} role={under ? undefined : 'status'}>
        {text}
      </span>
      {under && (
        <Progress
          className={classes.bar}
          size="sm"
          value={of === 0 ? 0 : (done / of) * 100}
          aria-label={name}
        />
      )}
      <Link to={path}>{under ? 'Details' : 'See the result'}</Link>
      <button type="button" aria-label={`Hide the progress of ${name}`} onClick={() => stopFollowing(id)}>
        <IconX size={16} aria-hidden />
      </button>
    </section>
  );
}
