/**
 * `npm run schemas`: writes the JSON Schemas of the package format for authors' editors.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonSchemas } from '@crewagent/protocol/json-schemas';

const folder = join('spec', 'bmad', 'v1.1');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(toJsonSchemas())) {
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
}
