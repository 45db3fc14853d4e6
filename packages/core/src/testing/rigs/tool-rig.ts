/**
 * A tool rig in a temporary folder.
 */

import { tempFolder } from '../temp-folder.ts';
import { buildToolRig, type ToolRig, type ToolRigOptions } from './build-tool-rig.ts';

export { codeOf, type ToolRig } from './build-tool-rig.ts';

export async function createToolRig(options: ToolRigOptions = {}): Promise<ToolRig> {
  return buildToolRig(await tempFolder(), options);
}
