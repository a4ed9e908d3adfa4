import { useMantineColorScheme } from '@mantine/core';
import classes from './menu-entry.module.css';

const schemes = { auto: 'Same as the system', light: 'Light', dark: 'Dark' } as const;

/** Light, dark, or as the system has it. */
export function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <fieldset className={classes.group}>
      <legend className={classes.label}>Colors</legend>
      <div className={classes.choice}>
        {Object.entries(schemes).map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="color-scheme"
              value={value}
              checked={colorScheme === value}
              onChange={() => setColorScheme(value as keyof typeof schemes)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
