import { IconX } from '@tabler/icons-react';
import { countText } from '#contracts/values/format.ts';
import classes from './filter-chips.module.css';

export interface FilterChip {
  key: string;
  label: string;
  /** How many rows it would leave; absent while nobody knows. */
  count?: number | undefined;
  active: boolean;
  onToggle: () => void;
}

/** Filters of a list as buttons that stay pressed. One that would leave nothing is not offered. */
export function FilterChips({ label, chips }: { label: string; chips: readonly FilterChip[] }) {
  const offered = chips.filter(({ count, active }) => active || count !== 0);
  if (offered.length === 0) return null;
  return (
    <fieldset className={classes.chips} aria-label={label}>
      {offered.map((chip) => (
        <button
          key={chip.key}
          type="button"
          className={classes.chip}
          aria-pressed={chip.active}
          onClick={chip.onToggle}
        >
          {chip.label}
          {chip.count !== undefined && <span className="number">{countText(chip.count)}</span>}
          {chip.active && <IconX size={12} aria-hidden />}
        </button>
      ))}
    </fieldset>
  );
}
