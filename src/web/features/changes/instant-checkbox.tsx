import { Checkbox, type CheckboxProps } from '@mantine/core';
import { useState } from 'react';

/** Shows at once what was chosen, while it is on its way; what was refused is shown as it is. */
export function InstantCheckbox(
  props: Omit<CheckboxProps, 'checked' | 'onChange'> & {
    checked: boolean;
    refused: boolean;
    onChoose: (checked: boolean) => void;
  },
) {
  const { checked, refused, onChoose, ...others } = props;
  const [known, setKnown] = useState(checked);
  const [wanted, setWanted] = useState(checked);
  const [wasRefused, setWasRefused] = useState(refused);
  if (known !== checked) {
    setKnown(checked);
    setWanted(checked);
  }
  // Once, when the refusal comes: what is chosen next is shown at once again.
  if (wasRefused !== refused) {
    setWasRefused(refused);
    if (refused) setWanted(checked);
  }
  return (
    <Checkbox
      {...others}
      checked={wanted}
      onChange={(event) => {
        setWanted(event.currentTarget.checked);
        onChoose(event.currentTarget.checked);
      }}
    />
  );
}
