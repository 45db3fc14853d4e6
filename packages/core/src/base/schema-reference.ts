/** `$schema` in the JSON files of a package folder: the schemas are in a folder beside them, for editors, and not part of the package. */

export const SCHEMAS_FOLDER = '.crewagent-schemas';

export type SchemaKind = 'bmad' | 'about' | 'agents' | 'workflow-graph';

export function schemaReference(kind: SchemaKind): string {
  return `./${SCHEMAS_FOLDER}/${kind}.schema.json`;
}
