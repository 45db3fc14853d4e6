/**
 * Reads the text of a step as its author wrote it.
 */

import { withDiskErrors } from '../base/errno.ts';
import type { WorkflowNode } from '../bmad/workflow-package.ts';
import type { Store } from '../store/store.ts';

/** The node's path was validated when the package was installed. */
export async function readStep(store: Store, hash: string, { file }: WorkflowNode): Promise<string> {
  return withDiskErrors('Could not read the step', async () =>
    (await store.packages.seal(hash)).read(file).toString('utf8'),
  );
}
