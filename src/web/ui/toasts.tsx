import { useEffect, useState } from 'react';
import { showToast, useToast } from './toast-store.ts';
import classes from './toasts.module.css';

/** Long enough to read it and to reach the button. */
const shownMs = 10_000;

/** What was done last, at the lower edge. It stays while somebody points at it or is in it. */
export function Toasts() {
  const toast = useToast();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (!toast || held) return;
    const timer = setTimeout(() => showToast(null), shownMs);
    return () => clearTimeout(timer);
  }, [toast, held]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only keeps it there.
    <div
      className={classes.place}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div role="status">
        {toast && (
          <div className={classes.toast}>
            <span>{toast.text}</span>
            {toast.undo && (
              <button
                type="button"
                onClick={() => {
                  toast.undo?.();
                  showToast(null);
                  setHeld(false);
                }}
              >
                Undo
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
