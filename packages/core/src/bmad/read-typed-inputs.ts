/**
 * The `typedInputs` of a workflow.md. The key is an extension of format 1.1, which allows other keys: an invalid input is
 * ignored with a warning, and never rejects a package.
 */
import { type TypedInput, typedInputSchema } from '@crewagent/protocol/typed-inputs';
import type * as z from '@crewagent/protocol/zod';
import type { Findings } from './check/findings.ts';
import { type DocumentLocation, locate } from './check/schema-findings.ts';

/** More questions than anybody would answer. */
const MAX_INPUTS = 100;

export function readTypedInputs(location: DocumentLocation, findings: Findings): TypedInput[] {
  const { typedInputs: written = [] } = location.value as { readonly typedInputs?: unknown };
  const list: readonly unknown[] = Array.isArray(written) ? written : [written];
  const inputs = new Map<string, TypedInput>();
  list.slice(0, MAX_INPUTS).forEach((entry, index) => {
    const parsed = typedInputSchema.safeParse(entry);
    const issue = parsed.success ? findConflict(parsed.data, inputs) : describeIssue(parsed.error);
    if (parsed.success && issue === undefined) inputs.set(parsed.data.name, parsed.data);
    else
      findings.add('TYPED_INPUT_INVALID', {
        ...locate(location, ['typedInputs', index]),
        message: `this input is ignored: ${issue ?? ''}`,
        fix: 'Write name, prompt, type (text, path, choice, multi, confirm), default, choices and scope (person, project).',
      });
  });
  return [...inputs.values()];
}

function findConflict(input: TypedInput, others: ReadonlyMap<string, TypedInput>): string | undefined {
  if (others.has(input.name)) return `the name "${input.name}" is used twice`;
  const isChoice = input.type === 'choice' || input.type === 'multi';
  return isChoice && (input.choices ?? []).length === 0 ? `"${input.name}" has no choices` : undefined;
}

function describeIssue({ issues: [issue] }: z.core.$ZodError): string {
  const path = issue?.path.map(String).join('.') ?? '';
  return `${path === '' ? '' : `"${path}" `}${issue?.message ?? 'it is invalid'}`.slice(0, 300);
}
