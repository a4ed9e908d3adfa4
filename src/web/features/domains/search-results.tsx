import { ActionIcon, Button, Loader, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconShoppingCartPlus } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Suggestion } from '#contracts/operations/domains.ts';
import { usdText } from '#contracts/values/format.ts';
import { useLookup } from './api.ts';
import classes from './search-box.module.css';

export { parseSearch } from '#contracts/values/domain-name.ts';

/** What drops down from the search box: the name that was asked for, and names like it. */
export function SearchResults(props: {
  asked: string;
  inCart: (address: string) => boolean;
  onAdd: (address: string) => void;
  onPick: (address: string) => void;
  onClose: () => void;
}) {
  const { asked, onClose } = props;
  const panel = useRef<HTMLDivElement>(null);
  const lookup = useLookup(asked);
  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      if (!panel.current?.parentElement?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [onClose]);

  const found = lookup.data;
  const rows: Suggestion[] = found ? [found, ...found.suggestions] : [];
  return (
    <div ref={panel} className={classes.panel}>
      {lookup.isFetching ? (
        <Text p="sm" size="sm" role="status" className={classes.waiting}>
          <Loader size="xs" aria-hidden /> Searching {asked}...
        </Text>
      ) : lookup.error ? (
        <div role="alert" className={classes.failure}>
          <span>{lookup.error.message}</span>
          <Button size="compact-sm" variant="default" onClick={() => void lookup.refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <>
          <VisuallyHidden role="status">{summaryOf(rows, props.inCart)}</VisuallyHidden>
          <ul className={classes.rows} aria-label={`Results for ${asked}`}>
            {rows.map((row) => (
              <ResultRow key={row.domain} row={row} {...props} />
            ))}
          </ul>
          {lookup.suggesting && (
            <Text p="sm" size="sm" className={classes.waiting}>
              <Loader size="xs" aria-hidden /> Looking for similar names...
            </Text>
          )}
        </>
      )}
    </div>
  );
}

function ResultRow(props: {
  row: Suggestion;
  inCart: (address: string) => boolean;
  onAdd: (address: string) => void;
  onPick: (address: string) => void;
}) {
  const { row } = props;
  const taken = row.status === 'taken';
  return (
    <li className={classes.row}>
      <button type="button" data-result className={classes.pick} onClick={() => props.onPick(row.domain)}>
        <span className={classes.name}>{row.domain}</span>
        <span className={taken ? classes.taken : classes.available}>
          {row.own ? 'Yours' : taken ? 'Taken' : 'Available'}
        </span>
        <span className={`number ${classes.price}`}>
          {row.premium && 'Premium '}
          {row.price === null || row.own ? '' : `USD${usdText(row.price)}`}
        </span>
      </button>
      {props.inCart(row.domain) ? (
        <span className={classes.check}>
          <IconCheck size={18} role="img" aria-label={`${row.domain} is in your cart`} />
        </span>
      ) : (
        <ActionIcon
          variant="subtle"
          size={36}
          disabled={taken}
          aria-label={`Add ${row.domain} to cart`}
          onClick={(event) => {
            // The icon becomes a check mark: who came by keyboard keeps the place in the list.
            event.currentTarget.closest('li')?.querySelector<HTMLElement>('[data-result]')?.focus();
            props.onAdd(row.domain);
          }}
        >
          <IconShoppingCartPlus size={18} />
        </ActionIcon>
      )}
    </li>
  );
}

/** For those who do not see the list drop down, nor the check mark of a name that was added. */
function summaryOf(rows: readonly Suggestion[], inCart: (address: string) => boolean): string {
  const available = rows.filter(({ status }) => status === 'available').length;
  const added = rows.filter(({ domain }) => inCart(domain)).length;
  return `${rows.length} names found, ${available} available${added > 0 ? `, ${added} in your cart` : ''}`;
}
