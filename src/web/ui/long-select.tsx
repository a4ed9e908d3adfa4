import {
  getOptionsLockup,
  getParsedComboboxData,
  type OptionsFilter,
  Select,
  type SelectProps,
} from '@mantine/core';
import { useState } from 'react';
import { mostOptions } from './theme.ts';

/**
 * A `Select` among many: its options are drawn while it is open, and one while it is closed. A list would draw three hundred of them
 * before anybody opens its filter, and a form of three contacts nine hundred with each key that is pressed. All of them count for
 * what the browser fills in.
 */
export function LongSelect(props: SelectProps) {
  const [opened, setOpened] = useState(false);
  // What is in the field is what somebody looks for, and not what is chosen.
  const [typed, setTyped] = useState(false);
  const { data, value } = props;
  const [search, setSearch] = useState(() => labelOf(data, value));
  // An arrow key opens it at the chosen one among those that are drawn. At any other, Enter would choose that.
  const onlyChosen: OptionsFilter = ({ options }) => {
    const chosen = options.find((option) => 'value' in option && option.value === props.value);
    return chosen ? [chosen] : options.slice(0, 1);
  };
  return (
    <Select
      {...(props.searchable ? { nothingFoundMessage: 'Nothing found' } : {})}
      {...props}
      limit={mostOptions}
      // A form leads to its first fault: the options would cover what is wrong.
      {...(props.error ? { openOnFocus: false } : {})}
      {...(opened ? {} : { filter: onlyChosen })}
      // Enter takes the first that fits: it would be lost, or send the form, and the choice would stay as it was.
      selectFirstOptionOnChange={opened && typed}
      // Who has typed the name of what is chosen does not want to lose it.
      {...(typed ? { allowDeselect: false } : {})}
      searchValue={search}
      onSearchChange={setSearch}
      onOptionSubmit={(name) => {
        props.onOptionSubmit?.(name);
        // Chosen once more: nothing changes that would put its whole name into the field.
        if (typed && name === value) setSearch(labelOf(data, value));
      }}
      // What the browser fills in, where nobody is, is nothing that is looked for.
      onInput={({ currentTarget: field }) => setTyped(field === document.activeElement && field.value !== '')}
      onClick={(event) => {
        props.onClick?.(event);
        // What is typed next is looked for, and not added to the name of what is chosen.
        if (props.searchable && !typed) event.currentTarget.select();
      }}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => {
        setOpened(false);
        setTyped(false);
      }}
    />
  );
}

/** What stands in the field when this is chosen. */
function labelOf(data: SelectProps['data'], value: SelectProps['value']): string {
  return value == null ? '' : (getOptionsLockup(getParsedComboboxData(data))[`${value}`]?.label ?? '');
}
