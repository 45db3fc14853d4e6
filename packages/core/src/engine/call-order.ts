/**
 * The order in which the calls of a reply are executed: as the model wrote them. Only a question that shows a text, such as a draft
 * with its menu, waits until the files of the same reply are read and written; whatever changes the state comes after it. Pure.
 */
import type { LoggedToolCall } from '@crewagent/protocol/event-messages';
import { parseObject } from '@crewagent/protocol/json-object';
import { effectKindOf, isOfFiles, isRead } from '@crewagent/protocol/tool-effects';

/** How many calls that only read run at once. */
const MAX_CONCURRENT = 8;

/** The calls in their order: consecutive ones that only read files together, all others alone. */
export function toBatches(calls: readonly LoggedToolCall[]): LoggedToolCall[][] {
  const batches: LoggedToolCall[][] = [];
  const isReading = ({ name }: LoggedToolCall): boolean => isRead({ kind: effectKindOf(name) });
  for (const call of toExecutionOrder(calls)) {
    const last = batches.at(-1);
    const isJoined = last?.every(isReading) && isReading(call) && last.length < MAX_CONCURRENT;
    if (isJoined) last?.push(call);
    else batches.push([call]);
  }
  return batches;
}

function toExecutionOrder(calls: readonly LoggedToolCall[]): LoggedToolCall[] {
  const asked = calls.findIndex(showsText);
  const other = asked === -1 ? -1 : calls.findIndex((call, index) => index > asked && !isForFiles(call));
  const end = other === -1 ? calls.length : other;
  return asked === -1
    ? [...calls]
    : [
        ...calls.slice(0, asked),
        ...calls.slice(asked + 1, end),
        ...calls.slice(asked, asked + 1),
        ...calls.slice(end),
      ];
}

/** Whatever its path looks like, the state document is called that. */
function isForFiles({ name, arguments: text }: LoggedToolCall): boolean {
  return isOfFiles({ kind: effectKindOf(name) }) && !text.includes('workflow.md');
}

function showsText({ name, arguments: text }: LoggedToolCall): boolean {
  return effectKindOf(name) === 'asked' && typeof parseObject(text)?.body === 'string';
}
