/**
 * `ui.propose_command`: shows an item of the agent's menu as a button. Nothing runs until the user clicks it.
 */
import type { MenuEntry } from '@crewagent/protocol/commands';
import * as z from '@crewagent/protocol/zod';
import { answer, defineTool, failure, type Tool, type ToolFact } from './tool.ts';

const schema = z.strictObject({
  item: z
    .union([z.int(), z.string().check(z.minLength(1), z.maxLength(200))])
    .check(z.describe('Number of the item in the menu, or its name.')),
  reason: z
    .optional(z.string().check(z.maxLength(500)))
    .check(z.describe('Why you propose this item, in a few words for the user.')),
});

interface Sources {
  readonly entries: readonly MenuEntry[];
  onFact(fact: ToolFact): void;
}

export function createProposeCommand({ entries, onFact }: Sources): Tool {
  return defineTool({
    name: 'ui.propose_command',
    family: 'ui',
    description:
      'Offers the user an item of your menu as a button. The user decides; end your reply after this call.',
    schema,
    async run({ item, reason }) {
      const entry = findEntry(entries, item);
      if (!entry) {
        const known = entries.map(({ index, label }) => `${index}. ${label}`).join('; ');
        return answer(
          failure('TOOL_ARGS_INVALID', `The menu has no item "${item}"; choose one of: ${known}.`),
        );
      }
      const { index, label, description } = entry;
      onFact({
        type: 'choice.offered',
        reason: reason ?? '',
        candidates: [{ index, label: description || label, input: String(index) }],
      });
      return answer({ ok: true, offered: `${index}. ${label}` });
    },
  });
}

function findEntry(entries: readonly MenuEntry[], item: number | string): MenuEntry | undefined {
  const text = String(item).trim();
  const folded = text.toLowerCase();
  return (
    entries.find(({ index }) => String(index) === text) ??
    entries.find(({ label }) => label.toLowerCase() === folded) ??
    entries.find(({ description }) => description.toLowerCase() === folded)
  );
}
