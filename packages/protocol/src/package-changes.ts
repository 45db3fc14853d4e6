/** What differs between two versions of a package, by the names an author gave. */
import * as z from './zod.ts';

const names = z.array(z.string());

const namedChangesSchema = z.strictObject({ added: names, removed: names, changed: names });
export type NamedChanges = z.infer<typeof namedChangesSchema>;

const renameSchema = z.strictObject({ from: z.string(), to: z.string() });
export type NodeRename = z.infer<typeof renameSchema>;

/** `renamed`: the text is the same, or the only one with this title, under another id. */
export const nodeChangesSchema = z.extend(namedChangesSchema, { renamed: z.array(renameSchema) });
export type NodeChanges = z.infer<typeof nodeChangesSchema>;

export const workflowChangesSchema = z.strictObject({
  id: z.string(),
  nodes: nodeChangesSchema,
  /** As `from → to (label)`. */
  edges: z.strictObject({ added: names, removed: names }),
  inputs: namedChangesSchema,
});
export type WorkflowChanges = z.infer<typeof workflowChangesSchema>;

export const packageChangesSchema = z.strictObject({
  from: z.string().check(z.meta({ description: 'Version before.' })),
  to: z.string().check(z.meta({ description: 'Version after.' })),
  workflows: z.strictObject({ added: names, removed: names, changed: z.array(workflowChangesSchema) }),
  agents: namedChangesSchema,
});
export type PackageChanges = z.infer<typeof packageChangesSchema>;
