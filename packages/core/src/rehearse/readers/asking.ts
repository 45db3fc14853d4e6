/**
 * The asking reader: asks the person before each node, with `ui_ask_user` where that is offered; then works as the literal one and
 * leaves as the rules say. Pure.
 */
import { type PlannedMove, say } from '../../llm/rehearsal/leave.ts';
import { askWithTool, call, findUnread, hasLeft, read, showMenu } from './actions.ts';
import { continueMenu, leaveByRule, work } from './literal.ts';
import type { RequestText } from './read-request.ts';

export function replyAsking(request: RequestText): PlannedMove {
  if (hasLeft(request)) return say('Done.');
  const ask = request.offered.has('ui_ask_user') ? askWithTool : showMenu;
  if (request.said.length === 0) return ask(request);
  const again = continueMenu(request, ask);
  if (again) return again;
  const unread = findUnread(request);
  return unread.length > 0 ? call(...unread.map(read)) : work(request, leaveByRule);
}
