/**
 * A baseline: the minimal tool loop with fetch. Sends a request, reads the requested file, sends the result, until there is no call.
 * Arguments: base URL, project folder.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { streamChat } from './stream-chat.mjs';

const [url, project] = process.argv.slice(2);
const messages = [
  { role: 'system', content: 'You work through tools.' },
  { role: 'user', content: 'Go.' },
];

for (;;) {
  const reply = await streamChat(url, messages);
  messages.push(reply);
  if (!reply.tool_calls) break;
  for (const call of reply.tool_calls) {
    const { path } = JSON.parse(call.function.arguments);
    const content = path.startsWith('@state')
      ? 'ok'
      : await readFile(join(project, path.replace('@project/', '')), 'utf8');
    messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify({ ok: true, content }) });
  }
}
