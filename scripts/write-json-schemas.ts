/**
 * `npm run schemas`: generates the JSON Schemas of the package format for authors' editors, and those of our tools for models, so
 * that they are not computed in every run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonSchemas } from '@crewagent/protocol/json-schemas';
import { toAdvertisedModule } from '../packages/core/src/testing/rigs/advertised-module.ts';

const folder = join('spec', 'bmad', 'v1.1');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(toJsonSchemas())) {
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
}
writeFileSync(join('packages', 'core', 'src', 'tools', 'advertised-parameters.ts'), toAdvertisedModule());
