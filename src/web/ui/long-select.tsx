import {
  type FloatingPosition,
  getOptionsLockup,
  getParsedComboboxData,
  type OptionsFilter,
  Select,
  type SelectProps,
} from '@mantine/core';
import { startTransition, useDeferredValue, useEffect, useState } from 'react';
import { mostOptions } from './theme.ts';

/** Longer than a phone takes from drawing the fields above a list to drawing its rows. */
const restMs = 600;

/** At least as many as a list shows before it is scrolled. */
const mostInSight = 7;

/**
 * A `Select` among many: its options are drawn while it is open, and one while it is closed. A list would draw three hundred of them
 * before anybody opens its filter, and a form of three contacts nine hundred with each key that is pressed. All of them count for
 * what the browser fills in. `looking`: options that fit what was typed are still to come. `likely`: a filter, to which somebody will
 * come: its list is made when the page rests. A cart may have two hundred choices, and most people open none.
 */
export function LongSelect({
  looking = false,
  likely = false,
  ...props
}: SelectProps & { looking?: boolean; likely?: boolean }) {
  const [opened, setOpened] = useState(false);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!likely) return;
    // A list that is not made at once is made in slices, and a touch comes between them.
    const timer = setTimeout(() => startTransition(() => setNear(true)), restMs);
    return () => clearTimeout(timer);
  }, [likely]);
  // Where it opens, what is in sight is drawn at once, and the rest after that has been painted.
  const whole = useDeferredValue(opened);
  const [side, setSide] = useState<FloatingPosition>('bottom');
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
      limit={opened && !whole ? leadingTo(data, value) : mostOptions}
      // The list stays on the side of the field where it has opened, as long as it fits there. The library would hold it there by
      // measuring and drawing it once more before anybody sees it (decision 327).
      comboboxProps={{
        ...props.comboboxProps,
        // The page has other things to draw, and nobody has come to it yet: its list is not made. Making and measuring it costs a phone 100 ms.
        ...(near || opened ? {} : { keepMounted: false, withinPortal: false }),
        preventPositionChangeWhenVisible: false,
        position: whole ? side : 'bottom',
        onPositionChange: setSide,
        // As wide as the field, it needs no shift.
        middlewares: { flip: { fallbackStrategy: 'initialPlacement' }, shift: false },
      }}
      // A form leads to its first fault: the options would cover what is wrong.
      {...(props.error ? { openOnFocus: false } : {})}
      {...(opened ? {} : { filter: onlyChosen })}
      // Enter takes the first that fits: it would be lost, or send the form, and the choice would stay as it was.
      selectFirstOptionOnChange={opened && typed && !looking}
      onKeyDown={(event) => {
        props.onKeyDown?.(event);
        if (looking && event.key === 'Enter') event.preventDefault();
      }}
      // Who has typed the name of what is chosen does not want to lose it.
      {...(typed ? { allowDeselect: false } : {})}
      searchValue={search}
      onSearchChange={(text) => {
        setSearch(text);
        props.onSearchChange?.(text);
      }}
      onOptionSubmit={(name) => {
        props.onOptionSubmit?.(name);
        // Chosen once more: nothing changes that would put its whole name into the field.
        if (typed && name === value) setSearch(labelOf(data, value));
      }}
      // What the browser fills in, where nobody is, is nothing that is looked for.
      onInput={({ currentTarget: field }) => setTyped(field === document.activeElement && field.value !== '')}
      onFocus={(event) => {
        props.onFocus?.(event);
        setNear(true);
      }}
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

/** How many options there are as far as the chosen one and what is in sight with it: the list opens there. */
function leadingTo(data: SelectProps['data'], value: SelectProps['value']): number {
  if (value == null) return mostInSight;
  const at = getParsedComboboxData(data).findIndex((option) => 'value' in option && option.value === value);
  return at < 0 ? mostOptions : Math.min(mostOptions, at + mostInSight);
}

/** What stands in the field when this is chosen. */
function labelOf(data: SelectProps['data'], value: SelectProps['value']): string {
  return value == null ? '' : (getOptionsLockup(getParsedComboboxData(data))[`${value}`]?.label ?? '');
}
