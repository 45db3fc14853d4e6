/** Each workflow and each item of a menu as a prompt, so that a host shows it as a command. Pure. */
import { parseInputText } from '@crewagent/protocol/input-answers';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import type { CataloguePackage } from './catalogue.ts';

export interface OfferedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The typed inputs of its workflow; their questions are asked beside the command. */
  readonly inputs: readonly TypedInput[];
  /** What the host's model is told. */
  toText(given: Readonly<Record<string, string>>): string;
}

const MAX_NAME = 100;

export function toPrompts(packages: readonly CataloguePackage[]): OfferedPrompt[] {
  const prompts = packages.flatMap((offered) => [...toWorkflowPrompts(offered), ...toMenuPrompts(offered)]);
  return [...new Map(prompts.toReversed().map((prompt) => [prompt.name, prompt])).values()].toReversed();
}

function toWorkflowPrompts({ name, loaded }: CataloguePackage): OfferedPrompt[] {
  const isOnly = loaded.workflows.length === 1;
  return loaded.workflows.map((workflow) => ({
    name: toName(isOnly ? [name] : [name, workflow.ref]),
    title: workflow.title || workflow.ref,
    description: workflow.description || loaded.manifest.description || workflow.title,
    ...toStart(name, workflow, isOnly),
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
      const text = words && `${toPersonaText(metadata.name, persona)}\n\n${words.trim()}`;
      const does = target ? toStart(name, target, false) : text && { inputs: [], toText: () => text };
      if (!does) return [];
      return [
        {
          name: toName([name, id, label]),
          title: description,
          description: `${metadata.name}: ${description}`,
          ...does,
        },
      ];
    }),
  );
}

function toStart(
  name: string,
  { ref, title, typedInputs }: CataloguePackage['loaded']['workflows'][number],
  isOnly: boolean,
): Pick<OfferedPrompt, 'inputs' | 'toText'> {
  return {
    inputs: typedInputs,
    toText(given) {
      const answered = typedInputs.filter((input) => given[input.name]?.trim());
      const inputs = Object.fromEntries(
        answered.map((input) => [input.name, parseInputText(input, given[input.name] ?? '')]),
      );
      const args = JSON.stringify({
        package: name,
        ...(isOnly ? {} : { workflow: ref }),
        ...(answered.length > 0 ? { inputs } : {}),
      });
      return `Run the workflow "${title || ref}" with me. Call the tool start_workflow with ${args}, then follow its brief, one step at a time.`;
    },
  };
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
