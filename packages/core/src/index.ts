/**
 * The engine library as the command line, the server and scripts see it. Nothing inside core imports this file.
 */

export { type AddedDeclarations, addDeclarations } from './author/add-declarations.ts';
export type { AuthorFolders } from './author/author-folders.ts';
export { type FollowedRound, type FollowStep, followPackage } from './author/follow-package.ts';
export { CrewError, ifPossible } from './base/crew-error.ts';
export { replaceFile } from './base/durable-files.ts';
export { errnoOf, errnoSentence, withDiskErrors } from './base/errno.ts';
export { makeFolderOf, makeFolders } from './base/make-folders.ts';
export { isMethodFile, METHOD_FILE } from './base/method-file.ts';
export {
  findBrowser,
  hasDesktop,
  openAppWindow,
  openOnDesktop,
  openUrlOnDesktop,
} from './base/open-on-desktop.ts';
export { sha256Of } from './base/sha256.ts';
export { isExecutable } from './base/small-files.ts';
export { createTempFolder } from './base/temp-folder.ts';
export { findUserLanguage } from './base/user-language.ts';
export { type ArchiveEntry, listEntries } from './bmad/archive/open-archive.ts';
export { withPackage } from './bmad/archive/open-package.ts';
export type { ValidationContext } from './bmad/check/validate-package.ts';
export type { Workflow, WorkflowNode, WorkflowPackage } from './bmad/check/workflow-package.ts';
export { describeChanges } from './bmad/compare-packages.ts';
export { installExample, listExamples, loadExamples } from './bmad/example-packages.ts';
export { createFindings, toReport } from './bmad/findings/findings.ts';
export { type ImportResult, importPackage } from './bmad/import-package.ts';
export { listInstalled, removeInstalled, resolveInstalled } from './bmad/installed-packages.ts';
export { type Inspection, inspectPackage } from './bmad/load-package.ts';
export { createFromMethod, createPackage, writeSchemas } from './bmad/new-package.ts';
export { type PackResult, packFolder } from './bmad/pack-package.ts';
export { readSampleDocuments } from './bmad/sample-documents.ts';
export type { Bundles } from './bundle/bundles.ts';
export type { Exported } from './bundle/export-bundle.ts';
export type { OpenedBundle } from './bundle/open-bundle.ts';
export type { StagedBundles } from './bundle/staged-bundles.ts';
export type { DocumentFormat } from './documents/export-document.ts';
export type { Quota } from './engine/engine-sources.ts';
export type { ExecutionEngine } from './engine/execution-engine.ts';
export type { StopPoint } from './engine/stop-point.ts';
export { previewResume } from './file-use/preview-resume.ts';
export { readStale, readStaleRuns, type StaleRun } from './file-use/read-stale.ts';
export { readUndeclared } from './file-use/undeclared-files.ts';
export { compareFile, type ListedFork, listForks, readComparison } from './fork/compare-runs.ts';
export { isForkProved } from './fork/fork-log.ts';
export type { Forked, ForkPlan, ForkRequest } from './fork/fork-run.ts';
export { findOwnHook, listHooks, putHook, removeHook } from './hooks/manage-hooks.ts';
export { resolveHooks } from './hooks/resolve-hooks.ts';
export { testHook } from './hooks/test-hook.ts';
export { readOrigin } from './import/earlier-import.ts';
export {
  type ImportOutcome,
  type ImportRequest,
  importSource,
  type PartOutcome,
} from './import/import-source.ts';
export { createStagedImports, type StagedImport, type StagedImports } from './import/staged-imports.ts';
export { findLocalServers } from './llm/catalog/list-models.ts';
export type { KeyGate } from './llm/provider/key-gate.ts';
export { knownPricesOf } from './llm/provider/provider-profiles.ts';
export { logInToServer, logOutOfServer } from './mcp/manage-logins.ts';
export {
  approveServer,
  type ImportedServers,
  importServers,
  previewServers,
  putServer,
  removeServer,
  revokeServer,
  type ServerSwitches,
  switchServer,
  testServer,
} from './mcp/manage-servers.ts';
export { toServerQuestion } from './mcp/resolve-servers.ts';
export { createSecretCheck } from './mounts/sensitive/secret-files.ts';
export { evaluatePackage } from './package-tests/evaluate-package.ts';
export { findPackageFolder, saveTest } from './package-tests/save-test.ts';
export { testPackage } from './package-tests/test-package.ts';
export { createPolicySource } from './policy/policy-source.ts';
export {
  findProofRule,
  findRefusal,
  type PolicyQuestion,
  type Refusal,
  requireAllowed,
  restrictSettings,
  toShownPolicy,
} from './policy/restrict.ts';
export { showPolicies } from './policy/show-policies.ts';
export { signPolicy } from './policy/sign-policy.ts';
export { openProjectFiles, type ProjectFiles } from './project-files/open-project-files.ts';
export { isShortfall, type Missed } from './rehearse/coverage.ts';
export type { RehearsalFailure } from './rehearse/failures.ts';
export {
  type RehearsalProgress,
  type RehearsalReport,
  rehearsePackage,
  type WorkflowRehearsal,
} from './rehearse/rehearse-package.ts';
export type { RehearsedRun } from './rehearse/run.ts';
export { diffPrompts, showPrompt } from './rehearse/show-prompt.ts';
export { exportArtifact } from './reports/export-artifact.ts';
export { type ExportFormat, exportRun, requireFreeFile, writeExport } from './reports/export-run.ts';
export { readPackageHistory } from './reports/package-history.ts';
export { readCosts } from './reports/read-costs.ts';
export { addCalledEvidence, type RunEvidence, readEvidence } from './reports/read-evidence.ts';
export { type LedgerFilter, readLedger } from './reports/read-ledger.ts';
export { createRuntime, type Runtime } from './runtime.ts';
export { createWorkSearch, type SearchQuery } from './search/search-works.ts';
export { searchInThread } from './search-in-thread.ts';
export type { OpenChanges } from './session/changes/open-changes.ts';
export { showFileDiff } from './session/changes/show-file-diff.ts';
export { showFileVersion } from './session/changes/show-file-version.ts';
export { checkState } from './session/check-state.ts';
export type { ConversationFilter, ConversationRequest } from './session/conversation/conversations.ts';
export { readMenu } from './session/conversation/open-thread.ts';
export { findMountedFiles } from './session/find-mounted-files.ts';
export type { HostedCall, HostedIdle, HostedRun } from './session/hosted/host-run.ts';
export { loadInstalled, readStep, resolveWorkflow } from './session/load-workflow.ts';
export {
  type BuiltinPlan,
  installBuiltinModel,
  listBuiltinModels,
  listRecommended,
  planBuiltinModel,
  removeBuiltinModel,
} from './session/models/builtin-models.ts';
export { addressOf, chooseModel, type ModelChoice, overridesOf } from './session/models/choose-model.ts';
export { type Diagnosis, diagnose, type ModelTest, testDraft, testModel } from './session/models/diagnose.ts';
export { listProviderModels } from './session/models/offered-models.ts';
export { toModelQuestion } from './session/models/require-model.ts';
export { chooseKey, listStoredKeys, removeStoredKey, storeKey } from './session/models/stored-keys.ts';
export type { OpenRun } from './session/open-run.ts';
export { readPosition } from './session/read-position.ts';
export { type OpenRunWork, toOpenWork } from './session/run-work.ts';
export type {
  AcceptOptions,
  AgentChoice,
  OpenWork,
  Pending,
  Session,
  SessionStop,
  WorkflowChoice,
} from './session/session.ts';
export {
  readContextSize,
  rebuildWorkRequest,
  type SentRequest,
  showWorkContext,
} from './session/show-context.ts';
export { showWork, stopWork, type WorkReport } from './session/show-work.ts';
export { inputsOf, loadInputs, readInputs, uniqueInputs } from './session/typed-inputs.ts';
export type { UnusedNames } from './session/unused-names.ts';
export { loadInstalledVersion } from './session/upgrade/installed-version.ts';
export type { UpgradePlan } from './session/upgrade/plan-upgrade.ts';
export type { HostRequest, ReopenOptions, StartRequest } from './session/work-openers.ts';
export {
  type AddressInspection,
  addPackage,
  importUpload,
  inspectAddress,
  inspectUpload,
  showPackage,
} from './sharing/add-package.ts';
export { fetchRepository, listRefs, pushCommits } from './sharing/git.ts';
export { type GitAddress, isGitAddress, parseGitAddress } from './sharing/git-address.ts';
export { addIndex, listIndexes, removeIndex, searchIndexes } from './sharing/package-indexes.ts';
export { publishPackage } from './sharing/publish-package.ts';
export { toFileName } from './sharing/release.ts';
export type { GitCredentials } from './sharing/run-git.ts';
export {
  createSigningKey,
  findOwnKey,
  forgetSigner,
  type KnownSigner,
  listSigners,
  listSigningKeys,
  setTrustRoot,
  trustKey,
} from './sharing/signing-keys.ts';
export { changeShell, showShell } from './shell/manage-shell.ts';
export {
  type CompiledCodeFile,
  createCompiledCodeFile,
  openCompiledCodeFile,
} from './store/disk/compiled-code.ts';
export { createKnownServers } from './store/disk/known-servers.ts';
export { createStoreLayout } from './store/disk/layout.ts';
export { readRecentErrors } from './store/disk/log/recent-errors.ts';
export { openDiskStore } from './store/disk/open-store.ts';
export { openUserStore } from './store/disk/open-user-store.ts';
export { openProtectedSecrets, type SecretCipher } from './store/disk/protected-secrets.ts';
export { defaultStoreRoot, secureStoreRoot } from './store/disk/secure-store-root.ts';
export { appFilesOf, readWindowPort, writeWindowPort } from './store/disk/server/app-files.ts';
export { createFolder, isFolder, listFolders, makeFolder } from './store/disk/server/folder-picker.ts';
export {
  claimServer,
  findServer,
  readServerToken,
  type ServerAddress,
  type ServerClaim,
  writeServerDoor,
  writeServerToken,
} from './store/disk/server/server-claim.ts';
export { findRoot, findRun, resolveConversation, resolveRun, resolveWork } from './store/find-works.ts';
export { withoutApproval } from './store/project-store.ts';
export type { SecretStore } from './store/secret-store.ts';
export type { SettingsChange, SettingsOrigin } from './store/settings-store.ts';
export type { Store, UserStore } from './store/store.ts';
export {
  type ConversationAddress,
  conversationBeside,
  type RunAddress,
  runBeside,
  toAddress,
  type WorkAddress,
} from './store/work-address.ts';
export { toStored } from './store/work-records.ts';
export type {
  ListedConversation,
  ListedRun,
  ListedWork,
  LogPage,
  LogPages,
  LogTail,
  WorkChanges,
} from './store/work-store.ts';
export { type Glob, matchesGlob, parseGlob } from './tools/search/ignore-globs.ts';
export type { Adopted } from './transfer/adoptions.ts';
export { type ChangedPaths, toChangedPaths } from './transfer/changed-paths.ts';
export { combineRelations, compareLogs } from './transfer/compare-works.ts';
export { toOwnCopy } from './transfer/own-copy.ts';
export { findTreeRoot, packagesOf, packWorks, readEvents } from './transfer/pack-works.ts';
export { type Pulled, pullWork } from './transfer/pull-work.ts';
export { type Pushed, pushWork } from './transfer/push-work.ts';
export { unpackWorks } from './transfer/unpack-works.ts';
export { type AffectedWork, findAffectedWorks } from './upstream/affected-works.ts';
export { type FollowDeps, type FollowedPackage, listFollowed } from './upstream/find-newer.ts';
export { toSource, withSource } from './upstream/open-source.ts';
export { upgradePackage } from './upstream/upgrade-package.ts';
export { edgesByOrigin } from './workflow/graph.ts';
export type { ResolvedInput } from './workflow/resolve-inputs.ts';
