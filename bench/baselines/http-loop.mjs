/**
 * How low a loop can go: `node:http` with one connection, and a history that is kept serialised, so that a turn costs its own bytes only.
 * Arguments: base URL, project folder.
 */
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createReply } from './run-loop.mjs';

const [url, project] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const pieces = [
  JSON.stringify({ role: 'system', content: 'You work through tools.' }),
  JSON.stringify({ role: 'user', content: 'Go.' }),
];

for (;;) {
  const reply = await ask();
  pieces.push(JSON.stringify(reply));
  if (!reply.tool_calls) break;
  for (const call of reply.tool_calls) {
    const { path } = JSON.parse(call.function.arguments);
    const content = path?.startsWith('@project/')
      ? await readFile(join(project, path.slice('@project/'.length)), 'utf8')
      : 'ok';
    pieces.push(JSON.stringify({ role: 'tool', tool_call_id: call.id, content }));
  }
}
agent.destroy();

function ask() {
  const body = `{"model":"m","stream":true,"messages":[${pieces.join(',')}]}`;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve(toReply(text)));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function toReply(text) {
  const reply = createReply();
  for (const event of text.split('\n\n')) reply.add(event);
  return reply.message();
}
