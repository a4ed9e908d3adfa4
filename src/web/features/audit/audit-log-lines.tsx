import type { AuditRow } from '#contracts/operations/audit.ts';
import { auditTitle } from '#contracts/values/audit-actions.ts';
import { ShortAuthor } from '../../ui/author.tsx';
import { Lately } from '../../ui/date-time.tsx';
import { isId } from './object-text.ts';
import classes from './what-happened.module.css';

/** Entries of the log, a line each: what, of what, by whom, when. */
export function AuditLines({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <ul className={classes.log}>
      {rows.map(({ sequence, action, object, actor, at }) => (
        <li key={sequence}>
          <span>
            <b>{auditTitle(action)}</b> {isId(object) ? '' : `${object} `}by <ShortAuthor name={actor} />
          </span>
          <Lately at={at} />
        </li>
      ))}
    </ul>
  );
}
