import { type OptionsFilter, Select, type SelectProps } from '@mantine/core';
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
      onInput={(event) => setTyped(event.currentTarget.value !== '')}
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
