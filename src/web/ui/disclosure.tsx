import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import classes from './disclosure.module.css';

/** A button that shows a panel below itself. Escape and a click elsewhere close it, as does leaving it by keyboard. */
export function Disclosure(props: {
  label: string;
  button: ReactNode;
  className?: string | undefined;
  align?: 'start' | 'end';
  /** Without a border, where what is around it has none. */
  plain?: boolean;
  /** Somebody is about to open it. */
  onIntent?: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => {
    // What had the focus goes with the panel; a button that was pressed in it may have lost it already.
    const has = document.activeElement;
    if (has === document.body || panel.current?.contains(has)) button.current?.focus();
    setOpen(false);
  };

  useLayoutEffect(() => (open && panel.current ? keepInWindow(panel.current) : undefined), [open]);
  useEffect(() => {
    const around = root.current;
    if (!open || !around) return;
    const onPress = (event: PointerEvent) => {
      if (!around.contains(event.target as Node)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      setOpen(false);
      button.current?.focus();
    };
    const onLeave = (event: FocusEvent) => {
      // Without a next element the window lost the focus, not the panel.
      if (event.relatedTarget && !around.contains(event.relatedTarget as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    around.addEventListener('keydown', onKey);
    around.addEventListener('focusout', onLeave);
    return () => {
      document.removeEventListener('pointerdown', onPress);
      around.removeEventListener('keydown', onKey);
      around.removeEventListener('focusout', onLeave);
    };
  }, [open]);

  return (
    <div ref={root} className={classes.root}>
      <button
        ref={button}
        type="button"
        className={props.className ?? classes.button}
        data-plain={props.plain || undefined}
        aria-label={props.label}
        aria-expanded={open}
        aria-controls={id}
        onPointerEnter={props.onIntent}
        onFocus={props.onIntent}
        onClick={() => setOpen(!open)}
      >
        {props.button}
      </button>
      <div ref={panel} id={id} className={classes.panel} data-align={props.align ?? 'end'} hidden={!open}>
        {open && props.children(close)}
      </div>
    </div>
  );
}

const fromEdge = 12;

/** Moves the panel to the side as far as it would stick out, also when its content or the window changes. */
function keepInWindow(panel: HTMLElement): () => void {
  const place = () => {
    panel.style.translate = 'none';
    const { left, right } = panel.getBoundingClientRect();
    const over = Math.max(0, right - (document.documentElement.clientWidth - fromEdge));
    // The beginning is what is read first.
    const shift = Math.max(-over, fromEdge - left);
    if (over > 0 || left < fromEdge) panel.style.translate = `${shift}px`;
  };
  const observer = new ResizeObserver(place);
  observer.observe(panel);
  window.addEventListener('resize', place);
  place();
  return () => {
    observer.disconnect();
    window.removeEventListener('resize', place);
  };
}
