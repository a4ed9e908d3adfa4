import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

interface DialogProps extends ModalProps {
  /** What was asked is being done: the dialog stays until that has ended, so that a failure is seen. */
  running?: boolean;
}

const held = { closeOnEscape: false, closeOnClickOutside: false, closeButtonProps: { disabled: true } };

/** What was deleted leaves the list when that has been read again. */
const followsMs = 4_000;

/**
 * A dialog that gives the focus back to what opened it. The library does so when `opened` becomes false; most dialogs here
 * are taken out of the page instead, and would leave somebody without a pointer at its beginning. So would a button that goes with
 * the row that its dialog deletes: then the focus goes to what the row stood in.
 */
export function Dialog({ running = false, ...props }: DialogProps) {
  const { opened } = props;
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
  return <Modal {...props} {...said.current} inert={!opened} {...(running ? held : {})} />;
}

/** The element and, from the inside, what around it can take the focus. */
function placesFrom(element: Element | null): HTMLElement[] {
  if (!(element instanceof HTMLElement) || element === document.body) return [];
  const around: HTMLElement[] = [];
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.hasAttribute('tabindex')) around.push(one);
  }
  return [element, ...around];
}

/** Gives the focus to the first of these places that is left, as long as nothing else takes it. */
function goOnAt(places: readonly HTMLElement[]): void {
  const page = places[0]?.ownerDocument;
  if (!page) return;
  const look = () => {
    for (const place of places) {
      if (page.activeElement !== page.body) return;
      if (place.isConnected) place.focus({ preventScroll: true });
    }
  };
  // Once the dialog has left the page.
  setTimeout(look);
  const watching = new MutationObserver(look);
  watching.observe(page.body, { childList: true, subtree: true });
  setTimeout(() => watching.disconnect(), followsMs);
}
