/**
 * The script of a built-in model's process, as text: that process has no other code of ours besides the llama
 * runtime. It exits when its parent process does.
 */
import * as functions from './host-functions.ts';
import { runHost } from './run-host.ts';

export function toHostScript(): string {
  const parts = [...Object.values(functions), runHost].map(String);
  return `${OPENING}\n${parts.join('\n\n')}\n${CLOSING}`;
}

const OPENING = `import { createServer } from 'node:http';
process.stdin.on('end', () => process.exit()).on('error', () => process.exit()).resume();
const options = JSON.parse(process.env.CREWAGENT_MODEL_HOST);
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');`;

const CLOSING = `try {
  const format = { parseOutput, toChatHistory, toGrammarSchema, partialReply };
  await runHost({ llama: await import(options.runtime), createServer, say, format }, options);
} catch (error) {
  say({ error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}`;
