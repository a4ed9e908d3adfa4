import { Code, Text } from '@mantine/core';
import type { AuditRow } from '#contracts/operations/audit.ts';
import { auditTitle } from '#contracts/values/audit-actions.ts';
import { Author } from '../../ui/author.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { SideSheet } from '../../ui/side-sheet.tsx';
import { type ChangedField, changedFields } from './changed-fields.ts';
import classes from './entry-sheet.module.css';
import { isId, objectText } from './object-text.ts';

/** One entry of the log in full: who, when, from where, and each field before and after. */
export function EntrySheet({ entry, onClose }: { entry: AuditRow | null; onClose: () => void }) {
  return (
    <SideSheet opened={entry !== null} onClose={onClose} title={entry ? auditTitle(entry.action) : ''}>
      {entry && (
        <div className={classes.sheet}>
          <Facts entry={entry} />
          <Fields fields={changedFields(entry.before, entry.after)} />
          <details className={classes.raw}>
            <summary>As recorded</summary>
            <Code block tabIndex={0}>
              {JSON.stringify({ before: entry.before, after: entry.after }, null, 1)}
            </Code>
          </details>
        </div>
      )}
    </SideSheet>
  );
}

function Facts({ entry }: { entry: AuditRow }) {
  return (
    <dl className={classes.facts}>
      <dt>When</dt>
      <dd>
        <DateTime at={entry.at} />
      </dd>
      <dt>Who</dt>
      <dd>
        <Author name={entry.actor} />
        {entry.ip && <span className={classes.address}>{entry.ip}</span>}
      </dd>
      <dt>Object</dt>
      <dd>
        {objectText(entry)}
        {isId(entry.object) && <span className={classes.address}>{entry.object}</span>}
      </dd>
      {entry.customer && (
        <>
          <dt>Customer</dt>
          <dd>{entry.customer}</dd>
        </>
      )}
      <dt>Entry</dt>
      <dd className="number">{entry.sequence}</dd>
    </dl>
  );
}

function Fields({ fields }: { fields: readonly ChangedField[] }) {
  if (fields.length === 0) return <Text c="dimmed">Nothing changed.</Text>;
  return (
    <dl className={classes.fields} aria-label="Before and after">
      {fields.map(({ field, before, after }) => (
        <div key={field}>
          <dt>{field}</dt>
          {before !== null && <Value sign="Before" text={before} />}
          {after !== null && <Value sign="After" text={after} />}
        </div>
      ))}
    </dl>
  );
}

function Value({ sign, text }: { sign: 'Before' | 'After'; text: string }) {
  return (
    <dd data-sign={sign}>
      <span className={classes.sign}>{sign}</span> {text === '' ? 'empty' : text}
    </dd>
  );
}
