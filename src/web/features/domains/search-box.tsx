import { ActionIcon, Button, Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { IconCheck, IconSearch, IconShoppingCartPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { parseSearch } from '#contracts/values/domain-name.ts';
import { formatCents, usdToCents } from '#contracts/values/money.ts';
import { useLookup } from './api.ts';
import classes from './search-box.module.css';

export interface SearchBoxProps {
  /** In the cart already: a check mark instead of the cart icon. */
  inCart: (address: string) => boolean;
  onAdd: (address: string) => void;
  /** A row was picked: the result screen opens for it. */
  onPick: (address: string) => void;
  initial?: string;
}

/** The search of P1 §2: results drop down with status and price; a row opens the result screen, the icon adds. */
export function SearchBox({ inCart, onAdd, onPick, initial = '' }: SearchBoxProps) {
  const [text, setText] = useState(initial);
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const lookup = useLookup(asked);
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });

  function submit(event: FormEvent) {
    event.preventDefault();
    const parsed = parseSearch(text);
    if (!parsed.ok) {
      setProblem(parsed.message);
      box.closeDropdown();
      return;
    }
    setProblem(null);
    if (asked === parsed.domain) void lookup.refetch();
    setAsked(parsed.domain);
    box.openDropdown();
  }

  const found = lookup.data;
  const rows = found
    ? [{ domain: found.domain, status: found.status, price: found.price }, ...found.suggestions]
    : [];
  return (
    <search className={classes.form}>
      <form onSubmit={submit}>
        <Combobox
          store={box}
          onOptionSubmit={(address) => {
            box.closeDropdown();
            onPick(address);
          }}
          withinPortal={false}
        >
          <Combobox.Target>
            <TextInput
              aria-label="Search your next domain"
              placeholder="Search your next domain"
              value={text}
              error={problem}
              maxLength={300}
              spellCheck={false}
              autoCapitalize="none"
              data-search-input
              onChange={(event) => {
                // P1 §5: lower-cased as typed.
                setText(event.currentTarget.value.toLowerCase());
                setProblem(null);
              }}
              rightSectionWidth={96}
              rightSection={
                <Button
                  type="submit"
                  size="compact-sm"
                  disabled={text.trim() === ''}
                  aria-label="Search"
                  leftSection={<IconSearch size={14} />}
                >
                  Search
                </Button>
              }
            />
          </Combobox.Target>
          <Combobox.Dropdown>
            <Combobox.Options mah={360} className={classes.options}>
              {lookup.isFetching && (
                <Group p="sm" gap="xs">
                  <Loader size="xs" />
                  <Text size="sm">Searching {asked}...</Text>
                </Group>
              )}
              {lookup.isError && !lookup.isFetching && (
                <Text p="sm" size="sm" c="red.8" role="alert">
                  {lookup.error.message}
                </Text>
              )}
              {!lookup.isFetching &&
                rows.map((row) => (
                  <Combobox.Option key={row.domain} value={row.domain} className={classes.row}>
                    <span className={classes.name}>{row.domain}</span>
                    <Text span size="sm" c={row.status === 'available' ? 'teal.9' : 'dimmed'}>
                      {row.status === 'available' ? 'Available' : 'Taken'}
                    </Text>
                    <span className={`number ${classes.price}`}>
                      {row.price === null ? '' : `USD$${formatCents(usdToCents(row.price))}`}
                    </span>
                    <RowIcon
                      address={row.domain}
                      taken={row.status === 'taken'}
                      inCart={inCart(row.domain)}
                      onAdd={onAdd}
                    />
                  </Combobox.Option>
                ))}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
        <Text size="xs" c="dimmed" mt={4}>
          Only .com domains are available at the moment.
        </Text>
      </form>
    </search>
  );
}

function RowIcon(props: {
  address: string;
  taken: boolean;
  inCart: boolean;
  onAdd: (address: string) => void;
}) {
  if (props.inCart) return <IconCheck size={18} aria-label={`${props.address} is in your cart`} role="img" />;
  return (
    <ActionIcon
      variant="subtle"
      size="md"
      disabled={props.taken}
      tabIndex={-1}
      aria-label={`Add ${props.address} to cart`}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => {
        event.stopPropagation();
        props.onAdd(props.address);
      }}
    >
      <IconShoppingCartPlus size={18} />
    </ActionIcon>
  );
}
