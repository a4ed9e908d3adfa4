import { IconX } from '@tabler/icons-react';
import { countText } from '#contracts/values/format.ts';
import classes from './filter-chips.module.css';
import { useInSight } from './use-in-sight.ts';

export interface FilterChip {
  key: string;
  label: string;
  /** How many rows it would leave; absent while nobody knows. */
  count?: number | undefined;
  active: boolean;
  /** What it leaves calls for somebody. */
  tone?: 'bad';
  onToggle: () => void;
}

/**
 * Filters of a list as buttons that stay pressed. One that would leave nothing is not offered: they show when it is known
 * which ones those are. Their place depends on nothing that comes late.
 */
export function FilterChips(props: {
  label: string;
  chips: readonly FilterChip[];
  /** The figures are on their way. */
  counting?: boolean;
  /** There are never more than four. */
  few?: boolean;
}) {
  const { label, chips } = props;
  const pressed = chips.find(({ active }) => active)?.key ?? '';
  const row = useInSight<HTMLFieldSetElement>('[aria-pressed="true"]', props.counting ? '' : pressed);
  const offered = chips.filter(({ count, active }) => active || count !== 0);
  if (offered.length === 0) return null;
  return (
    <fieldset
      ref={row}
      className={classes.chips}
      aria-label={label}
      data-counting={props.counting || undefined}
      data-few={props.few || undefined}
    >
      {offered.map((chip) => (
        <button
          key={chip.key}
          type="button"
          className={classes.chip}
          aria-pressed={chip.active}
          data-tone={chip.tone}
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
