import { Checkbox, CheckIcon } from '@mantine/core';
import own from './row-box.module.css';

const { inner, input, icon } = Checkbox.classes;
const classes = {
  box: `${own.box} ${inner}`,
  input: `mantine-focus-auto mantine-Checkbox-input ${input}`,
  icon: `mantine-Checkbox-icon ${icon}`,
};

/** The box that chooses a row of a list. It looks as the library's; that one is six components, and a list has fifty of them. */
export function RowBox(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <div className={classes.box}>
      <input
        type="checkbox"
        className={classes.input}
        aria-label={props.label}
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <CheckIcon className={classes.icon} />
    </div>
  );
}
