import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './setting-row.module.css';

/** Settings below each other, a line between them. */
export function SettingRows({ children }: { children: ReactNode }) {
  return <div className={classes.rows}>{children}</div>;
}

/** One setting: its name, what it means, and its control at the end; below, what came of the last change. */
export function SettingRow(props: {
  title: string;
  meaning: ReactNode;
  control?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={classes.row}>
      <div className={classes.head}>
        <div className={classes.text}>
          <span className={classes.title}>{props.title}</span>
          <span className={classes.meaning}>{props.meaning}</span>
        </div>
        {props.control && <div className={classes.control}>{props.control}</div>}
      </div>
      {props.children && <div className={classes.more}>{props.children}</div>}
    </div>
  );
}

/** A setting that is on or off: a click anywhere in its row switches it. */
export function SettingSwitch(props: {
  title: string;
  meaning: string;
  checked: boolean;
  disabled: boolean;
  onChange: (checked: boolean) => void;
  children?: ReactNode;
}) {
  return (
    <div className={classes.row}>
      <Switch
        label={props.title}
        description={props.meaning}
        labelPosition="left"
        classNames={{
          body: classes.head,
          labelWrapper: classes.text,
          label: classes.title,
          description: classes.meaning,
        }}
        checked={props.checked}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.children && <div className={classes.more}>{props.children}</div>}
    </div>
  );
}
