/**
 * The engine library as the command line, the server and scripts see it. Nothing inside core imports this file.
 */
export { CrewError } from './base/crew-error.ts';
export { toReport } from './bmad/findings.ts';
export { type ImportResult, importPackage } from './bmad/import-package.ts';
export { listInstalled, removeInstalled, resolveInstalled } from './bmad/installed-packages.ts';
export { type Inspection, inspectPackage } from './bmad/load-package.ts';
export { createPackage } from './bmad/new-package.ts';
export { type PackResult, packFolder } from './bmad/pack-package.ts';
export type { ValidationContext } from './bmad/validate-package.ts';
export type { Workflow, WorkflowNode, WorkflowPackage } from './bmad/workflow-package.ts';
export { createStoreLayout, defaultStoreRoot, type StoreLayout } from './store/layout.ts';
export { edgesByOrigin } from './workflow/graph.ts';
