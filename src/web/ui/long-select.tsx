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
  // An arrow key opens it at the chosen one among those that are drawn. At any other, Enter would choose that.
  const onlyChosen: OptionsFilter = ({ options }) => {
    const chosen = options.find((option) => 'value' in option && option.value === props.value);
    return chosen ? [chosen] : options.slice(0, 1);
  };
  return (
    <Select
      {...props}
      limit={mostOptions}
      {...(opened ? {} : { filter: onlyChosen })}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
    />
  );
}
