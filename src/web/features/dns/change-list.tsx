import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { hostOf, recordData } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import type { ChangeWarning } from '#contracts/values/zone-warnings.ts';
import classes from './change-review.module.css';

const words = { add: 'Add', update: 'Change', remove: 'Delete' };
const rowPx = 58;

/** Changes to choose from, each with what speaks against it. */
export function ChangeList(props: {
  label: string;
  domain: string;
  changes: readonly ZoneChange[];
  notes: ReadonlyMap<number, string>;
  problems: ReadonlyMap<number, string>;
  warnings: ReadonlyMap<number, readonly ChangeWarning[]>;
  chosen: ReadonlySet<number>;
  onToggle: (change: ZoneChange) => void;
}) {
  const { changes } = props;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: changes.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 8,
  });
  return (
    <section ref={box} className={classes.box} aria-label={props.label}>
      <ul className={classes.list} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const change = changes[item.index];
          if (!change) return null;
          return (
            <li
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className={classes.item}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Item {...props} change={change} index={item.index} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Item(props: {
  domain: string;
  change: ZoneChange;
  index: number;
  notes: ReadonlyMap<number, string>;
  problems: ReadonlyMap<number, string>;
  warnings: ReadonlyMap<number, readonly ChangeWarning[]>;
  chosen: ReadonlySet<number>;
  onToggle: (change: ZoneChange) => void;
}) {
  const { change, index } = props;
  const { action, record } = change;
  const host = hostOf(record, props.domain);
  const problem = props.problems.get(index);
  const note = props.notes.get(index);
  return (
    <>
      <input
        type="checkbox"
        checked={props.chosen.has(index)}
        aria-label={`${words[action]} ${record.type} ${host} ${recordData(record)}`.slice(0, 300)}
        onChange={() => props.onToggle(change)}
      />
      <span className={classes.what} data-action={action}>
        {words[action]}
      </span>
      <span className={classes.text}>
        <strong>{record.type}</strong> {host}
        {action === 'update' && change.old && (
          <div className={classes.data}>
            <del>{recordData(change.old)}</del>
          </div>
        )}
        <div className={classes.data}>{recordData(record)}</div>
        {problem && <div className={classes.problem}>{problem}</div>}
        {props.warnings.get(index)?.map(({ message }) => (
          <div key={message} className={classes.warning}>
            {message}
          </div>
        ))}
        {note && <div className={classes.note}>{note}</div>}
      </span>
    </>
  );
}
