/** Each workflow and each item of a menu as a prompt, so that a host shows it as a command. Pure. */
import type { CataloguePackage } from './catalogue.ts';

export interface OfferedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What the host's model is told. */
  readonly text: string;
}

const MAX_NAME = 100;

export function toPrompts(packages: readonly CataloguePackage[]): OfferedPrompt[] {
  const prompts = packages.flatMap((offered) => [...toWorkflowPrompts(offered), ...toMenuPrompts(offered)]);
  return [...new Map(prompts.toReversed().map((prompt) => [prompt.name, prompt])).values()].toReversed();
}

function toWorkflowPrompts({ name, loaded }: CataloguePackage): OfferedPrompt[] {
  const isOnly = loaded.workflows.length === 1;
  return loaded.workflows.map(({ ref, title, description = '' }) => ({
    name: toName(isOnly ? [name] : [name, ref]),
    title: title || ref,
    description: description || loaded.manifest.description || title,
    text: toStartText(name, isOnly ? undefined : ref, title || ref),
  }));
}

function toMenuPrompts({ name, loaded }: CataloguePackage): OfferedPrompt[] {
  return loaded.agents.flatMap(({ id, metadata, persona, prompts = [], menu = [] }) =>
    menu.flatMap((item, index) => {
      const { trigger, description, workflow, action } = item;
      const label = trigger?.trim() || String(index + 1);
      const target = loaded.workflows.find(
        ({ ref, workflowPath }) =>
          ref === workflow || workflowPath === workflow || workflow?.endsWith(`/${workflowPath}`),
      );
      const words = action?.startsWith('#')
        ? prompts.find((prompt) => `#${prompt.id}` === action)?.content
        : action;
      const text = target
        ? toStartText(name, target.ref, target.title || target.ref)
        : words && `${toPersonaText(metadata.name, persona)}\n\n${words.trim()}`;
      if (!text) return [];
      return [
        {
          name: toName([name, id, label]),
          title: description,
          description: `${metadata.name}: ${description}`,
          text,
        },
      ];
    }),
  );
}

function toStartText(name: string, workflow: string | undefined, title: string): string {
  const args = JSON.stringify({ package: name, ...(workflow === undefined ? {} : { workflow }) });
  return `Run the workflow "${title}" with me. Call the tool start_workflow with ${args}, then follow its brief, one step at a time.`;
}

function toPersonaText(
  name: string,
  { role, identity }: { readonly role?: string; readonly identity?: string },
): string {
  return [`You are ${name}.`, role, identity].filter(Boolean).join(' ');
}

function toName(parts: readonly string[]): string {
  return parts
    .map((part) => part.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, ''))
    .filter(Boolean)
    .join('.')
    .slice(0, MAX_NAME);
}
