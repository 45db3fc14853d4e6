/**
 * The interface between the desktop window and the page. In a browser the bridge is absent, and the page works without it.
 */
import type { Language } from './languages.ts';

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'crewagentDesktop';

/** Calls from the page; each is one IPC channel. */
export const BRIDGE_CALLS = [
  'chooseFolder',
  'choosePackage',
  'reveal',
  'openOutside',
  'savePdf',
  'setBadge',
  'setAppearance',
] as const;
export type BridgeCall = (typeof BRIDGE_CALLS)[number];

/** The channel for requests from the window to the page. */
export const REQUEST_CHANNEL = 'crewagent:request';

export function toChannel(call: BridgeCall): string {
  return `crewagent:${call}`;
}

export interface ShownAppearance {
  readonly language: Language;
  readonly theme: 'system' | 'light' | 'dark';
}

/** `go`: navigate to a route of the page, such as `/settings`. `tab`: to the next or previous tab of the workspace. */
export type WindowRequest =
  | { readonly kind: 'go'; readonly path: string }
  | { readonly kind: 'tab'; readonly step: 1 | -1 };

export interface DesktopBridge {
  /** Opens a folder dialog; undefined if the person cancels. */
  chooseFolder(): Promise<string | undefined>;
  /** Opens a dialog for a `.bmad` file; undefined if the person cancels. */
  choosePackage(): Promise<string | undefined>;
  /** Shows a folder or file of a project in the file manager; false for any other path. */
  reveal(path: string): Promise<boolean>;
  /** Opens an http or https URL in the default browser; false for any other URL. */
  openOutside(url: string): Promise<boolean>;
  /** Asks where to save what the page prints, and saves it as a PDF; false if the person cancels. */
  savePdf(name: string): Promise<boolean>;
  /** Shows the number of conversations that wait for the person. */
  setBadge(count: number): Promise<void>;
  /** Applies the page's language and theme to menus and window frame. */
  setAppearance(appearance: ShownAppearance): Promise<void>;
  /** Subscribes to requests from the window's menu. Returns a function that unsubscribes. */
  onRequest(listener: (request: WindowRequest) => void): () => void;
}
