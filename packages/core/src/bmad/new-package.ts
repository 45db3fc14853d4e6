/**
 * The folder of a new package: two working steps, with comments that say what may be changed; or a method in the full form.
 */
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toJsonSchemas } from '@crewagent/protocol/json-schemas';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { VERSION } from '@crewagent/protocol/version';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { makeFolders } from '../base/make-folders.ts';
import { isMethodFile, METHOD_FILE } from '../base/method-file.ts';
import { SCHEMAS_FOLDER, type SchemaKind, schemaReference } from '../base/schema-reference.ts';
import type { ValidationContext } from './check/validate-package.ts';
import { withValidPackage } from './load-package.ts';
import documents from './new-package.json' with { type: 'json' };

/** Writes a working package into `folder`, which must be empty or not exist. Returns the paths it wrote. */
export async function createPackage(folder: string, name: string): Promise<string[]> {
  return writeNewFolder(folder, Object.entries(scaffold(name)));
}

/** The same with the files of a method. Also returns the name of the package. */
export async function createFromMethod(
  folder: string,
  method: string,
  context: ValidationContext,
): Promise<{ name: string; files: string[] }> {
  return withValidPackage(method, context, async ({ archive, files }, { manifest: { name } }) => {
    if (archive || !(await isMethod(method)))
      throw new CrewError(
        'USAGE',
        `"${method}" is not a method: a Markdown file, or a folder with ${METHOD_FILE}.`,
      );
    const paths = [...files.paths].sort();
    const contents = await Promise.all(
      paths.map(async (path): Promise<[string, Buffer]> => [path, await files.read(path)]),
    );
    return { name, files: await writeNewFolder(folder, [...contents, ...Object.entries(schemaFiles())]) };
  });
}

async function isMethod(path: string): Promise<boolean> {
  return isMethodFile(path) || (await ifPresent(readdir(path)))?.includes('bmad.json') === false;
}

async function writeNewFolder(
  folder: string,
  files: readonly (readonly [string, string | Uint8Array])[],
): Promise<string[]> {
  return withDiskErrors(`Could not create a package in "${folder}"`, async () => {
    const names = await ifPresent(readdir(folder));
    if (names !== undefined && names.length > 0) {
      throw new CrewError('TARGET_EXISTS', `"${folder}" is not empty. Choose a new or empty folder.`);
    }
    try {
      for (const [path, content] of files) {
        const target = join(folder, path);
        makeFolders(dirname(target));
        await writeFile(target, content, { flag: 'wx' });
      }
    } catch (error) {
      // The folder was empty or missing, so everything in it is ours.
      const tops = new Set(files.map(([path]) => path.split('/', 1)[0] ?? path));
      for (const top of tops) await rm(join(folder, top), { recursive: true, force: true });
      if (names === undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return files.map(([path]) => path);
  });
}

/** Writes the schemas that `$schema` of the package's files names. Returns their paths. */
export async function writeSchemas(folder: string): Promise<string[]> {
  return withDiskErrors(`Could not write schemas to "${folder}"`, async () => {
    if (!existsSync(join(folder, 'bmad.json')))
      throw new CrewError('USAGE', `There is no bmad.json in "${folder}".`);
    makeFolders(join(folder, SCHEMAS_FOLDER));
    const files = Object.entries(schemaFiles());
    for (const [path, content] of files) await writeFile(join(folder, path), content);
    return files.map(([path]) => path);
  });
}

function schemaFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(toJsonSchemas()).map(([name, schema]) => [`${SCHEMAS_FOLDER}/${name}`, json(schema)]),
  );
}

/** The document with a reference to its schema, for editors. */
function withSchema(kind: SchemaKind, document: object): string {
  return json({ $schema: schemaReference(kind), ...document });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function scaffold(name: string): Readonly<Record<string, string>> {
  return {
    'bmad.json': withSchema('bmad', { ...documents.bmad, name }),
    'about.json': withSchema('about', {
      title: toPackageTitle({ name }),
      keywords: [],
      engines: { crewagent: `>=${VERSION}` },
    }),
    'agents.json': withSchema('agents', documents.agents),
    'workflow.graph.json': withSchema('workflow-graph', documents.graph),
    'workflow.md': WORKFLOW,
    'steps/step-01-ask.md': STEP_ASK,
    'steps/end-02-write.md': STEP_WRITE,
    ...schemaFiles(),
  };
}

const WORKFLOW = `---
# A run starts from a copy of this document and keeps its progress in these keys.
schemaVersion: "1.1" # always in quotes
workflowType: write-note
currentNodeId: step-01-ask # empty means: the entry node of workflow.graph.json
stepsCompleted: []
variables: {}
decisionLog: []
artifacts: []
---

# Write a note

Asks one question and leaves a short note in the project.

The order of the steps is decided by \`workflow.graph.json\`; this list is for readers.

1. [Ask for the topic](steps/step-01-ask.md)
2. [Write the note](steps/end-02-write.md)
`;

const STEP_ASK = `---
schemaVersion: "1.1"
nodeId: step-01-ask # must equal the id of the node that points to this file
type: step
setsVariables: # what later steps may rely on
  - topic
  - audience
transitions: # a copy of the edges, for readers; the graph decides
  - to: end-02-write
    label: next
---

# Ask for the topic

<!-- The text below is sent to the model. Say what to read, what to do, and when the step is done. -->

1. If the person has not said what the note is about and who will read it, ask both with one call of \`ui.ask_user\`
   (two questions of type \`text\`), then WAIT.
2. The step is done when both are known.

## Finish, with \`runtime.complete_node\`

\`\`\`json
{ "nodeId": "step-01-ask", "next": "end-02-write",
  "variables": { "topic": "<topic>", "audience": "<audience>" } }
\`\`\`
`;

const STEP_WRITE = `---
schemaVersion: "1.1"
nodeId: end-02-write
type: end # a run is complete when an end node is in stepsCompleted
outputs: # paths in the project folder
  - artifacts/note.md
produces: # checked before the run may leave this node; see also waits, consumes and verify
  - path: artifacts/note.md
    minWords: 20
    notContains: ["TODO"]
---

# Write the note

1. Search \`@project\` for files that mention the topic; read the two or three that matter most.
2. Write \`@project/artifacts/note.md\`: a title, then three to six sentences for the audience, then the list of files used.

## Finish, with \`runtime.complete_node\`

This is the last node, so there is no \`next\`:

\`\`\`json
{ "nodeId": "end-02-write" }
\`\`\`

Then tell the person in one sentence where the note is.
`;
