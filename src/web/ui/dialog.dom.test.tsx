import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { keepFocus } from './keep-focus.ts';
import { theme } from './theme.ts';

/** A question about a domain, as many screens ask it: once it is closed nothing is asked about any more. */
function Question({ domain }: { domain: string }) {
  const [about, setAbout] = useState<string | null>(domain);
  const close = () => setAbout(null);
  return (
    <ConfirmDialog
      opened={about !== null}
      title={`Cancel the transfer of ${about}?`}
      confirmLabel="Cancel the transfer"
      cancelLabel="Keep it"
      running={false}
      error={null}
      onConfirm={close}
      onClose={close}
    >
      {about} stays at its current registrar.
    </ConfirmDialog>
  );
}

test('a dialog that fades away says what it said, and cannot be answered again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    cleanup();
    vi.useRealTimers();
  });
  // Not in the environment of tests, in which nothing fades.
  render(
    <MantineProvider theme={theme}>
      <Question domain="acme.com" />
    </MantineProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  const text = screen.getByRole('dialog').textContent;
  expect(text).toContain('Cancel the transfer of acme.com?');
  fireEvent.click(screen.getByRole('button', { name: 'Keep it' }));
  await act(() => vi.advanceTimersByTimeAsync(50));
  expect(screen.getByRole('dialog').textContent).toBe(text);
  // A second press would do once more what it asked about.
  expect(screen.getByRole('dialog').closest('[inert]')).not.toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(screen.queryByRole('dialog')).toBeNull();
});

/** Rows that are deleted after a question; the list is read again after that. */
function Rows({ readAgainMs }: { readAgainMs: number }) {
  const [rows, setRows] = useState(['acme.com', 'beta.com']);
  const [about, setAbout] = useState<string | null>(null);
  const remove = () => {
    const gone = about;
    const read = () => setRows((before) => before.filter((row) => row !== gone));
    if (readAgainMs === 0) read();
    else setTimeout(read, readAgainMs);
    setAbout(null);
  };
  return (
    <main tabIndex={-1}>
      <section aria-label="Names" tabIndex={-1}>
        {rows.map((row) => (
          <button type="button" key={row} onClick={() => setAbout(row)}>
            Delete {row}
          </button>
        ))}
      </section>
      <ConfirmDialog
        {...{ opened: about !== null, title: 'Delete?', confirmLabel: 'Delete' }}
        {...{ running: false, error: null, onConfirm: remove, onClose: () => setAbout(null) }}
      >
        {about}
      </ConfirmDialog>
    </main>
  );
}

test.each([
  ['at once', 0],
  ['when the list has been read again', 300],
])('the focus goes on in the list when the button of a dialog goes with its row: %s', async (_when, ms) => {
  vi.useFakeTimers();
  const letGo = keepFocus();
  onTestFinished(() => {
    cleanup();
    letGo();
    vi.useRealTimers();
  });
  render(
    <MantineProvider theme={theme} env="test">
      <Rows readAgainMs={ms} />
    </MantineProvider>,
  );
  const focused = () =>
    document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
  const press = async (name: string, inside = screen as Pick<typeof screen, 'getByRole'>) => {
    const button = inside.getByRole('button', { name });
    button.focus();
    fireEvent.click(button);
    await act(() => vi.advanceTimersByTimeAsync(100));
  };
  await press('Delete acme.com');
  await press('Cancel');
  expect(focused()).toBe('Delete acme.com');
  await press('Delete acme.com');
  await press('Delete');
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(screen.queryByText('Delete acme.com')).toBeNull();
  // The row leaves the page when the act ends, and what watches the page waits a moment then.
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(focused()).toBe('Names');
  // Later on the page is left alone.
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  (document.activeElement as HTMLElement).blur();
  screen.getByLabelText('Names').append(document.createElement('hr'));
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(document.activeElement).toBe(document.body);
});
