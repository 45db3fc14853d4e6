/**
 * What the window of the desktop app offers to the page, and asks of it. The page works without it: in a browser there is none.
 */

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'crewagentDesktop';

/** What the page may call; each is one IPC channel. */
export const BRIDGE_CALLS = [
  'chooseFolder',
  'choosePackage',
  'reveal',
  'openOutside',
  'setBadge',
  'setAppearance',
] as const;
export type BridgeCall = (typeof BRIDGE_CALLS)[number];

/** The channel on which the window asks the page for something. */
export const REQUEST_CHANNEL = 'crewagent:request';

export function toChannel(call: BridgeCall): string {
  return `crewagent:${call}`;
}

export interface ShownAppearance {
  readonly language: 'en' | 'zh-CN';
  readonly theme: 'system' | 'light' | 'dark';
}

/** `go`: to a place of the page, such as `/settings`. `tab`: to the next or the previous tab of the workspace. */
export type WindowRequest =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'tab'; readonly step: 1 | -1 };

export interface DesktopBridge {
  /** A folder that the person chose in a dialog of the system; undefined if they chose none. */
  chooseFolder(): Promise<string | undefined>;
  /** A `.bmad` file, in the same way. */
  choosePackage(): Promise<string | undefined>;
  /** Shows a folder or file of a project in the file manager; false for any other path. */
  reveal(path: string): Promise<boolean>;
  /** Opens an http or https address in the browser of the person; false for any other address. */
  openOutside(url: string): Promise<boolean>;
  /** How many conversations wait for the person. */
  setBadge(count: number): Promise<void>;
  /** Menus and the frame of the window follow the page. */
  setAppearance(appearance: ShownAppearance): Promise<void>;
  /** Calls the listener for what the menu of the window asks of the page, until the returned function is called. */
  onRequest(listener: (request: WindowRequest) => void): () => void;
}
