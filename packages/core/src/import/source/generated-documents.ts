/**
 * Documents that a source refers to and does not contain, because its installer writes them or they are part of another module:
 * its configuration, and the discussion of several agents. The package gets a short one instead of a path that leads nowhere. Pure.
 */
import { type ModuleConfig, RUNTIME_VALUES } from './module-questions.ts';
import type { Reference } from './resolve-reference.ts';
import { toFrontmatterBlock } from './source-yaml.ts';

export type GeneratedDocument = keyof typeof PATHS;

const PATHS = { config: 'assets/config.yaml', discussion: 'assets/discussion.md' } as const;

/** A text that starts a discussion of several agents. */
export const DISCUSSION = /\b(?:party[- _]?mode|agent-manifest)\b/i;

/** Undefined for a reference that is no such document. */
export function toGenerated(written: string, found: Reference): GeneratedDocument | undefined {
  if (found.kind === 'config') return 'config';
  return found.kind === 'missing' && DISCUSSION.test(written) && /\.(?:md|xml|ya?ml)$/.test(written)
    ? 'discussion'
    : undefined;
}

export function generatedPath(document: GeneratedDocument): string {
  return PATHS[document];
}

export function toGeneratedText(document: GeneratedDocument, { values, inputs }: ModuleConfig): string {
  if (document === 'discussion') return `${ROSTER_SENTENCE}\n`;
  // A value with a placeholder is known in a run only.
  const known = Object.fromEntries(Object.entries(values).filter(([, value]) => !value.includes('{')));
  const asked = [...Object.keys(values), ...inputs.map(({ name }) => name)].filter(
    (name) => !Object.hasOwn(known, name),
  );
  const unknown = [...new Set([...RUNTIME_VALUES, ...asked])].map(
    (name) => `# ${name}: in the variables of the run\n`,
  );
  // Without the fences of frontmatter.
  const lines = toFrontmatterBlock('', known).replace(/^---\n|---\n$/g, '');
  return `${CONFIG_HEADER}${lines}${unknown.join('')}`;
}

const CONFIG_HEADER = `# Initial values of the variables of a run. Where a variable of the run differs, the variable counts.\n`;

const ROSTER_SENTENCE =
  'Let two or three agents of the roster discuss the topic in turn, each in the style described there, until the user ends the discussion; then return to the step.';
