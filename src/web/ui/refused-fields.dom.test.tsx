import { MantineProvider, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { afterEach, expect, test } from 'vitest';
import { useRefusedFields } from './refused-fields.ts';

afterEach(cleanup);

function Form({ error }: { error: Error | null }) {
  const form = useForm({ initialValues: { name: 'Ann', city: 'Troy' } });
  const root = useRef<HTMLFormElement>(null);
  useRefusedFields(form, root, error, ({ message }) => ({ city: message }));
  return (
    <form ref={root}>
      <TextInput {...form.getInputProps('name')} label="Name" />
      <TextInput {...form.getInputProps('city')} label="City" />
      <button type="button" onClick={() => form.validate()}>
        Check
      </button>
    </form>
  );
}
const drawn = (error: Error | null) => (
  <MantineProvider env="test">
    <Form error={error} />
  </MantineProvider>
);
const city = () => screen.getByLabelText('City');
const isFaulty = () => city().getAttribute('aria-invalid') === 'true';

test('a refused field has the focus once, and is refused until it is changed or sent again', () => {
  const { rerender } = render(drawn(null));
  rerender(drawn(new Error('No such city')));
  expect(screen.getByText('No such city')).toBeDefined();
  expect(document.activeElement).toBe(city());
  // The form's own rules have nothing against it.
  screen.getByLabelText('Name').focus();
  fireEvent.click(screen.getByText('Check'));
  expect(isFaulty()).toBe(true);
  expect(document.activeElement).toBe(screen.getByLabelText('Name'));
  // The next attempt runs.
  rerender(drawn(null));
  expect(isFaulty()).toBe(false);
  rerender(drawn(new Error('No such city either')));
  fireEvent.change(city(), { target: { value: 'Utica' } });
  expect(isFaulty()).toBe(false);
});
