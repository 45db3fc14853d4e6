/**
 * Handles IPC calls of the page. Only the main frame of our own server's page is accepted, and arguments are validated against
 * schemas before they reach the system.
 */
import { isAbsolute, relative, sep } from 'node:path';
import {
  BRIDGE_CALLS,
  type BridgeCall,
  type ShownAppearance,
  toChannel,
} from '@crewagent/protocol/desktop-bridge';
import { LANGUAGES } from '@crewagent/protocol/languages';
import * as z from '@crewagent/protocol/zod';
import type { ElectronApi, IpcSender } from './electron-api.ts';
import { isOfOrigin, isWebAddress } from './secure-window.ts';

const ARGUMENTS = {
  chooseFolder: z.tuple([]),
  choosePackage: z.tuple([]),
  reveal: z.tuple([z.string().check(z.minLength(1), z.maxLength(4096))]),
  openOutside: z.tuple([z.string().check(z.maxLength(8192))]),
  savePdf: z.tuple([z.string().check(z.maxLength(500))]),
  setBadge: z.tuple([z.int().check(z.minimum(0), z.maximum(9_999))]),
  setAppearance: z.tuple([
    z.strictObject({ language: z.enum(LANGUAGES), theme: z.enum(['system', 'light', 'dark']) }),
  ]),
} as const satisfies Record<BridgeCall, z.ZodMiniType>;

type BridgeApi = Pick<
  ElectronApi,
  'chooseFolder' | 'choosePackage' | 'reveal' | 'openOutside' | 'savePdf' | 'setBadge' | 'handle'
>;

export interface BridgeOptions {
  readonly api: BridgeApi;
  readonly origin: () => string;
  readonly packageTitle: () => string;
  /** The folders of all projects. */
  readonly projectFolders: () => Promise<readonly string[]>;
  readonly onAppearance: (appearance: ShownAppearance) => void;
}

type Handlers = { readonly [Call in BridgeCall]: (args: z.output<(typeof ARGUMENTS)[Call]>) => unknown };

export function handleBridge(options: BridgeOptions): void {
  const { api, origin } = options;
  const handlers: Handlers = {
    chooseFolder: () => api.chooseFolder(),
    choosePackage: () => api.choosePackage(options.packageTitle()),
    reveal: async ([path]) => {
      if (!(await options.projectFolders()).some((folder) => isInside(path, folder))) return false;
      api.reveal(path);
      return true;
    },
    openOutside: async ([url]) => {
      if (!isWebAddress(url)) return false;
      await api.openOutside(url);
      return true;
    },
    savePdf: ([name]) => api.savePdf(toFileName(name)),
    setBadge: ([count]) => api.setBadge(count),
    setAppearance: ([appearance]) => options.onAppearance(appearance),
  };
  for (const call of BRIDGE_CALLS) {
    api.handle(toChannel(call), async (sender, args) => {
      if (!isOurPage(sender, origin())) throw new Error('This page may not call the desktop.');
      const parsed = ARGUMENTS[call].safeParse(args);
      if (!parsed.success) throw new Error(`The arguments of "${call}" are not valid.`);
      // The schema belongs to the same call, which TypeScript cannot infer.
      return (handlers[call] as (checked: unknown) => unknown)(parsed.data);
    });
  }
}

export function isOurPage({ frameUrl, isMainFrame }: IpcSender, origin: string): boolean {
  return isMainFrame && frameUrl !== undefined && isOfOrigin(frameUrl, origin);
}

/** A suggestion for the dialog; the title of a document may have any character. */
function toFileName(title: string): string {
  const name = title.replace(/[^\p{L}\p{N} ._-]/gu, ' ').replace(/^[. ]+|\s+$/g, '');
  return `${name.slice(0, 100) || 'document'}.pdf`;
}

function isInside(path: string, folder: string): boolean {
  if (!isAbsolute(path)) return false;
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}
