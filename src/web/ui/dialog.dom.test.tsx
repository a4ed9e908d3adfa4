import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConfirmDialog } from './confirm-dialog.tsx';
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
