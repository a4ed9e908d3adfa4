import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

interface DialogProps extends ModalProps {
  /** What was asked is being done: the dialog stays until that has ended, so that a failure is seen. */
  running?: boolean;
}

const held = { closeOnEscape: false, closeOnClickOutside: false, closeButtonProps: { disabled: true } };

/**
 * A dialog that gives the focus back to what opened it. The library does so when `opened` becomes false; most dialogs here
 * are taken out of the page instead, and would leave somebody without a pointer at its beginning.
 */
export function Dialog({ running = false, ...props }: DialogProps) {
  const { opened } = props;
  const openedBy = useRef<HTMLElement | null>(null);
  // What has the focus while this is drawn for the first time: the dialog takes it afterwards.
  openedBy.current ??=
    opened && document.activeElement instanceof HTMLElement ? document.activeElement : null;
  useEffect(
    () => () => {
      // Once the dialog has left the page, and only when nothing else has taken the focus.
      setTimeout(() => {
        const { current } = openedBy;
        if (document.activeElement === document.body && current?.isConnected) {
          current.focus({ preventScroll: true });
        }
      });
    },
    [],
  );
  // While it fades away it says what it said: what that was about is mostly gone by then. And nothing in it can be pressed any more.
  const said = useRef({ title: props.title, children: props.children });
  if (opened) said.current = { title: props.title, children: props.children };
  return <Modal {...props} {...said.current} inert={!opened} {...(running ? held : {})} />;
}
