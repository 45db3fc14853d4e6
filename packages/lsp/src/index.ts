/** A language server for package folders, loaded by `crewagent lsp` only. */
export { serveLanguage } from './serve-language.ts';
