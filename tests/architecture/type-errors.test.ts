import { expect, test } from 'vitest';
import { typeErrors } from '../../tools/type-errors.ts';

const contract = [
  "src/contracts/operations/a.ts(1,2): error TS1: It has no 'method'.",
  '  Its type is unknown.',
];
const web = ["src/web/features/a/api.ts(3,4): error TS2: 'data' is of type 'unknown'."];

test('errors of types in the contract are shown alone, with how many there are elsewhere', () => {
  expect(typeErrors([...web, ...contract, ...web])).toEqual({ shown: contract, hidden: 2 });
});

test('without an error in the contract every error of types is shown', () => {
  expect(typeErrors([...web, '', ...web])).toEqual({ shown: [...web, ...web], hidden: 0 });
  expect(typeErrors([])).toEqual({ shown: [], hidden: 0 });
});
