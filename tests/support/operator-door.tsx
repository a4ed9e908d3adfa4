import type { ComponentType } from 'react';
import { OperatorDoor } from '../../src/web/features/operator/operator-key.tsx';
import { type Answers, type Opened, openScreen, screen, uuid } from './screen.tsx';

/** Whose key it is. */
export const operator = { id: uuid(71), name: 'Olga Ops' };

/** What an operator sees once their key was accepted. */
export async function openForOperator(Inside: ComponentType, answers: Answers): Promise<Opened> {
  const there = await openScreen(
    () => (
      <OperatorDoor fallback={(form) => form}>
        <Inside />
      </OperatorDoor>
    ),
    { answers: { 'GET /operator/me': operator, ...answers } },
  );
  await there.user.type(screen.getByLabelText('Operator key'), 'op_key{Enter}');
  return there;
}
