/**
 * JSON Schemas of the six file kinds of the format, for authors' editors. Derived from the zod schemas, so that there is one
 * definition. Written to `spec/bmad/v1.1/` by `npm run schemas`.
 */

import { aboutSchema } from './about.ts';
import { agentsDocumentSchema } from './agents.ts';
import { bmadManifestSchema } from './bmad.ts';
import { stepFrontmatterSchema, workflowFrontmatterSchema, workflowGraphSchema } from './workflow.ts';
import * as z from './zod.ts';

const KINDS = {
  bmad: bmadManifestSchema,
  about: aboutSchema,
  agents: agentsDocumentSchema,
  'workflow-graph': workflowGraphSchema,
  'workflow-frontmatter': workflowFrontmatterSchema,
  'step-frontmatter': stepFrontmatterSchema,
} as const;

/** File name → JSON Schema (2020-12) of valid input. */
export function toJsonSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, schema]) => [
      `${kind}.schema.json`,
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:crewagent:bmad:1.1:${kind}`,
        ...z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }),
      },
    ]),
  );
}
