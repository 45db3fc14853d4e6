/**
 * The bridge between the page and the app: a few calls, each with its own channel, and nothing of Electron. Runs sandboxed.
 */
import {
  BRIDGE_NAME,
  type BridgeCall,
  type DesktopBridge,
  REQUEST_CHANNEL,
  toChannel,
  type WindowRequest,
} from '@crewagent/protocol/desktop-bridge';
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';

const call = (name: BridgeCall, ...args: readonly unknown[]): Promise<never> =>
  ipcRenderer.invoke(toChannel(name), ...args) as Promise<never>;

const bridge: DesktopBridge = {
  chooseFolder: () => call('chooseFolder'),
  choosePackage: () => call('choosePackage'),
  reveal: (path) => call('reveal', path),
  openOutside: (url) => call('openOutside', url),
  savePdf: (name) => call('savePdf', name),
  setBadge: (count) => call('setBadge', count),
  setAppearance: (appearance) => call('setAppearance', appearance),
  onRequest(listener) {
    // The page never gets the event, which would give access to `ipcRenderer`.
    const receive = (_: IpcRendererEvent, request: WindowRequest): void => listener(request);
    ipcRenderer.on(REQUEST_CHANNEL, receive);
    return () => void ipcRenderer.off(REQUEST_CHANNEL, receive);
  },
};

contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
