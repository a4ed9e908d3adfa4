import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useFocusAfter } from './first-fault.ts';
import { goOnAt, placesFrom } from './keep-focus.ts';

interface DialogProps extends ModalProps {
  /** What was asked is being done: the dialog stays until that has ended, so that a failure is seen. */
  running?: boolean;
}

const held = { closeOnEscape: false, closeOnClickOutside: false, closeButtonProps: { disabled: true } };

/**
 * A dialog that gives the focus back to what opened it, and after a refusal to the field that was refused. The library gives it back when
 * `opened` becomes false; most dialogs here are taken out of the page instead, and would leave somebody without a pointer at its beginning.
 * So would a button that goes with the row that its dialog deletes: then the focus goes to what the row stood in.
 */
export function Dialog({ running = false, ...props }: DialogProps) {
  const { opened } = props;
  const root = useRef<HTMLDivElement>(null);
  useFocusAfter(running, root);
  const wasOpened = useRef(false);
  const openedBy = useRef<HTMLElement[]>([]);
  // What has the focus while this is drawn for the first time: the dialog takes it afterwards.
  if (opened && !wasOpened.current) openedBy.current = placesFrom(document.activeElement);
  wasOpened.current = opened;
  useEffect(() => {
    if (!opened) return;
    return () => {
      const { current } = openedBy;
      goOnAt(current);
    };
  }, [opened]);
  // While it fades away it says what it said: what that was about is mostly gone by then. And nothing in it can be pressed any more.
  const said = useRef({ title: props.title, children: props.children });
  if (opened) said.current = { title: props.title, children: props.children };
  return <Modal ref={root} {...props} {...said.current} inert={!opened} {...(running ? held : {})} />;
}
