/** A package as a skill (a folder with SKILL.md) for agents that load such folders: it runs the workflows through our server. */
import { join } from 'node:path';
import {
  CrewError,
  isFolder,
  makeFolders,
  replaceFile,
  type WorkflowPackage,
  withDiskErrors,
} from '@crewagent/core';

/** Limits of the format. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;

/** `name`: of the package, as `start_workflow` takes it. Resolves to the file. */
export async function exportSkill(name: string, loaded: WorkflowPackage, dir: string): Promise<string> {
  const folder = join(dir, toSkillName(name));
  if (await isFolder(folder))
    throw new CrewError(
      'USAGE',
      `There is a folder "${folder}" already. Delete it, or choose another place.`,
    );
  const file = join(folder, 'SKILL.md');
  await withDiskErrors(`Could not write "${file}"`, async () => {
    makeFolders(folder);
    await replaceFile(file, toSkill(name, loaded), 0o644);
  });
  return file;
}

export function toSkill(name: string, { manifest, workflows }: WorkflowPackage): string {
  const about = manifest.description || workflows.map(({ title }) => title).join(', ') || name;
  const isOnly = workflows.length === 1;
  const listed = workflows.map(({ ref, title, description }) => {
    const args = JSON.stringify({ package: name, ...(isOnly ? {} : { workflow: ref }) });
    return `- **${toLine(title || ref)}**${description ? `: ${toLine(description)}` : ''} \`start_workflow ${args}\``;
  });
  return `---
name: ${toSkillName(name)}
description: ${JSON.stringify(`${toLine(about)} Runs as a CrewAgent workflow, step by step.`.slice(0, MAX_DESCRIPTION))}
---

# ${toLine(manifest.name)}

${toLine(about)}

The steps of this method are kept by the MCP server \`crewagent\`. Do not work from memory, and do not invent steps.

${listed.join('\n')}

1. Call \`resume_workflow\` if the person wants to continue a run; otherwise \`start_workflow\` as above.
2. Do what the brief says, with your own tools, and only that. Then call \`complete_node\`; its result is the next brief.
3. If a call is refused, provide what is missing. Where a step waits for the person, ask with \`ask_person\`.
4. At the end, tell the person what was made.

If there is no such server, tell the person to run \`crewagent connect\` for their agent.
`;
}

function toSkillName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, MAX_NAME).replace(/-+$/, '') || 'workflow';
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
