import { describe, expect, it } from 'vitest';
import { findPresentation, findWait } from './step-waits.ts';

const MENU = { for: 'choice', options: ['A', 'C'] };

describe('waits', () => {
  const cases: [body: string, waits: unknown, certainty?: string][] = [
    ['Display: "**Select:** [A] Ask more [C] Continue"\n\n- IF C: go on', MENU, 'exact'],
    ['[A] Ask more\n[C] Continue\n\nALWAYS halt and wait for user input after the menu.', MENU, 'exact'],
    ['All done! [C] Close\n\nWhen C is selected, say goodbye.', { for: 'choice', options: ['C'] }, 'exact'],
    ['Name the month, then HALT and wait for the person.', true, 'exact'],
    ['**STOP and WAIT for user input**', true, 'exact'],
    ['<step n="1">\n<ask>Which bed?</ask>\n</step>', true, 'exact'],
    ['<ask>What now?\n1) Dig\n2) Rest\nChoice:</ask>', { for: 'choice', options: ['1', '2'] }, 'exact'],
    ['1. **First:** ask whether the bed is dry rather than guess.', true, 'inferred'],
    ['Ask one question at a time.', true, 'inferred'],
    ['2. **Ask clarifying questions** — one at a time', true, 'inferred'],
    ['Summarize the inputs and confirm with the user. Then proceed.', true, 'inferred'],
    ['5. MANDATORY: Pause for feedback', true, 'exact'],
    ['3. **Present the plan** — get user approval after each part', true, 'exact'],
    ['**Confirm first:**\n\nWait for exact confirmation.', true, 'exact'],
    // Under a condition, negated, quoted, or about something else.
    ['<check if="no bed is named">\n<ask>Which bed?</ask>\n</check>', undefined],
    ['- If the bed is wet:\n  - HALT and wait for the user.', undefined],
    ['#### If rain is near\n\nAsk the user for a coat.', undefined],
    ['If the month is unclear, ask for it.', undefined],
    ['No human interaction: do not ask questions or wait for approval.', undefined],
    ['## Headless mode\n\nInvent a name, and ask for nothing.', undefined],
    ['- ❌ Proceeding before you wait for user input', undefined],
    ['- "Wait for the user to finish digging"', undefined],
    ['Wait for the next frost.', undefined],
    ['Ask yourself three questions.', undefined],
    ['Fill this agenda:\n\n```\n- Ask clarifying questions\n```', undefined],
    ['This found [X] weeds in [Y] beds.', undefined],
    ['- [X] done\n- [ ] to do', undefined],
    ['| code | meaning |\n|---|---|\n| 6 | the user selected `[X]` in a menu |', undefined],
  ];
  it.each(cases)('[X41] %j', (body, waits, certainty) => {
    const found = findWait(body);
    expect(found?.waits).toEqual(waits);
    expect(found?.certainty).toBe(certainty);
  });

  it('[X41] names the line', () => {
    expect(findWait('# Look\n\nLook.\n\nHALT and wait for the person.')).toMatchObject({
      index: 4,
      text: 'HALT and wait for the person.',
    });
  });

  it.each([
    ['Present the findings in chat.', true],
    ['Report each weed to the user, largest first.', true],
    ['Pull the weeds.', undefined],
  ])('[X41] a result that is only shown: %j', (body, waits) => {
    expect(findPresentation(body)?.waits).toBe(waits);
  });
});
