/** What a step lacks, from the details of the reason why its run stopped; one entry for each thing that can be waived. */
import { type CheckKind, checkKindSchema, WAIT_CHECK } from '@crewagent/protocol/proof';
import * as z from '@crewagent/protocol/zod';

export interface MissingCheck {
  readonly id: string;
  /** The file or command; undefined for an answer of the person. */
  readonly name: string | undefined;
  readonly kinds: readonly CheckKind[];
  /** As the runtime told the model; empty if the kind says everything. */
  readonly issues: readonly string[];
}

const missingSchema = z.array(
  z.object({ id: z.string(), kind: checkKindSchema, path: z.optional(z.string()), message: z.string() }),
);
const consumesSchema = z.array(z.string());

export function missingIn(details: Readonly<Record<string, unknown>> | undefined): readonly MissingCheck[] {
  const consumed = consumesSchema.safeParse(details?.consumes).data ?? [];
  const found = new Map<string, MissingCheck>(
    consumed.map((path) => [path, { id: path, name: path, kinds: ['consumed'], issues: [] }]),
  );
  for (const { id, kind, path, message } of missingSchema.safeParse(details?.missing).data ?? []) {
    const known = found.get(id) ?? { id, name: nameOf(id, path), kinds: [], issues: [] };
    found.set(id, {
      ...known,
      kinds: [...new Set([...known.kinds, kind])],
      // What it says about waiting is meant for the model.
      issues: kind === 'wait' ? known.issues : [...known.issues, message],
    });
  }
  return [...found.values()];
}

function nameOf(id: string, path: string | undefined): string | undefined {
  if (id === WAIT_CHECK) return undefined;
  return (path ?? id).replace(/^@project\/|^verify: /, '');
}
