import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import classes from './side-sheet.module.css';

/** Details of one thing beside what they belong to; a dialog asks for a decision, this only tells. Escape closes it. */
export function SideSheet(props: {
  title: ReactNode;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      radius={0}
      transitionProps={{ transition: 'slide-left', duration: 160 }}
      classNames={{ inner: classes.inner, content: classes.content }}
    >
      {props.children}
    </Dialog>
  );
}
