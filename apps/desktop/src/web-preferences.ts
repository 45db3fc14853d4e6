/** Preferences of the window's page, following Electron's security checklist: no Node, nothing insecure. */
export function toWebPreferences(preload: string) {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    // Would download dictionaries from the internet.
    spellcheck: false,
  } as const;
}
