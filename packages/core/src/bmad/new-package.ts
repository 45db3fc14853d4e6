/**
 * The scaffold for a new package: two working steps, with comments that say what may be changed.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import documents from './new-package.json' with { type: 'json' };

/** Writes a working package into `folder`, which must be empty or not exist. Returns the paths it wrote. */
export async function createPackage(folder: string, name: string): Promise<string[]> {
  const files = Object.entries(scaffold(name));
  return withDiskErrors(`Could not create a package in "${folder}"`, async () => {
    const names = await ifPresent(readdir(folder));
    if (names !== undefined && names.length > 0) {
      throw new CrewError('TARGET_EXISTS', `"${folder}" is not empty. Choose a new or empty folder.`);
    }
    try {
      for (const [path, content] of files) {
        const target = join(folder, path);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, content, { flag: 'wx' });
      }
    } catch (error) {
      // The folder was empty or missing, so everything in it is ours.
      await Promise.all(files.map(([path]) => rm(join(folder, path), { force: true })));
      await rm(join(folder, 'steps'), { recursive: true, force: true });
      if (names === undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return files.map(([path]) => path);
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function scaffold(name: string): Readonly<Record<string, string>> {
  return {
    'bmad.json': json({ ...documents.bmad, name }),
    'agents.json': json(documents.agents),
    'workflow.graph.json': json(documents.graph),
    'workflow.md': WORKFLOW,
    'steps/step-01-ask.md': STEP_ASK,
    'steps/end-02-write.md': STEP_WRITE,
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
