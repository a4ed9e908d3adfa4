import { Stack, Text } from '@mantine/core';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import { mayAct } from '#contracts/values/changes.ts';
import { type DnsRecord, recordData } from '#contracts/values/dns-records.ts';
import { Card } from '../../ui/card.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { useChooseItems } from './api.ts';
import classes from './change.module.css';
import { itemStates } from './change-words.ts';
import { InstantCheckbox } from './instant-checkbox.tsx';

/** One domain of a change: what goes, what comes, what is likely wrong, and what came of it. */
export function ItemCard({ change, item, place }: { change: Change; item: ChangeItem; place: string }) {
  return (
    <Card title={item.domain} end={place}>
      <Stack gap="sm">
        <Text size="sm">
          {itemStates[item.state].text}
          {item.note !== '' && `: ${item.note}`}
        </Text>
        {item.difference && <Difference difference={item.difference} />}
        {item.settings && <Settings settings={item.settings} />}
        {item.others !== null && (
          <Text size="sm" c="dimmed">
            {item.others === 1
              ? '1 other record stays as it is.'
              : `${item.others} other records stay as they are.`}
          </Text>
        )}
        {item.warnings.length > 0 && (
          <ul className={classes.checks} aria-label="Warnings">
            {item.warnings.map((warning) => (
              <li key={warning} data-tone="warn">
                {warning}
              </li>
            ))}
          </ul>
        )}
        {item.needsTick && <Tick change={change} item={item} />}
      </Stack>
    </Card>
  );
}

function Tick({ change, item }: { change: Change; item: ChangeItem }) {
  const choose = useChooseItems(change.id);
  return (
    <>
      <InstantCheckbox
        label="It loses more than 30 % of its records, and this is intended"
        checked={item.ticked}
        refused={choose.isError}
        disabled={!mayAct(change.state, 'choose')}
        onChoose={(ticked) => choose.mutate({ ids: [item.id], ticked, round: change.round })}
      />
      <FailureText error={choose.error} />
    </>
  );
}

function Difference({ difference }: { difference: NonNullable<ChangeItem['difference']> }) {
  const total = difference.added + difference.changed + difference.removed;
  const lines = difference.first.flatMap(({ action, record, old }) => [
    ...(action === 'remove' ? [lineOf('-', record as DnsRecord)] : []),
    ...(old ? [lineOf('-', old as DnsRecord)] : []),
    ...(action === 'remove' ? [] : [lineOf('+', record as DnsRecord)]),
  ]);
  return (
    <ul className={classes.difference} aria-label="Difference">
      {lines.map(({ sign, text }) => (
        <li key={`${sign} ${text}`} data-sign={sign}>
          {sign === '-' ? <del>{text}</del> : <ins>{text}</ins>}
        </li>
      ))}
      {total > difference.first.length && <li>{`and ${total - difference.first.length} more`}</li>}
    </ul>
  );
}

/** Each setting that becomes different: its name, what it was, and what it is to be. */
function Settings({ settings }: { settings: NonNullable<ChangeItem['settings']> }) {
  return (
    <ul className={classes.settings} aria-label="Difference">
      {settings.map(({ label, before, after }) => (
        <li key={label}>
          <small>{label}</small>
          {before !== '' && <del>{before}</del>}
          {after !== '' && <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  );
}

function lineOf(sign: '+' | '-', record: DnsRecord) {
  return { sign, text: `${record.subdomain || '@'} ${record.type} ${recordData(record)}` };
}
