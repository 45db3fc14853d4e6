/**
 * A process that sends one message in a new chat, with the MCP servers of the store, until it is killed.
 *
 * Arguments: a folder with `store` and `project`, the base URL of a provider.
 */
import { join } from 'node:path';
import { createRuntime } from '../../runtime.ts';

const [root = '', baseUrl = ''] = process.argv.slice(2);
const runtime = createRuntime({ storeRoot: join(root, 'store') });
const session = await runtime.createWork({
  projectPath: join(root, 'project'),
  kind: 'chat',
  model: { model: 'm', baseUrl },
  approval: 'autopilot',
});
await session.input('go');
await session.close();
