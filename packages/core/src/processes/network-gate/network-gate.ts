/**
 * The way out of a sandbox that has no network: an HTTP proxy in this process, on a socket that is bound into the sandbox, which
 * connects to allowed names and never to this machine or a private network. Inside, a forwarder listens where `HTTP_PROXY` points.
 * It tunnels TLS without looking into it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WrappedCommand } from '../sandbox-access.ts';
import { toForwardScript } from './forward.ts';
import { findRegistryHosts } from './project-registries.ts';
import { openProxy, type ProxyOptions } from './proxy.ts';

export interface NetworkGateOptions extends ProxyOptions {
  /** The package registries of this project's tools are allowed, too. */
  readonly project?: string;
  /** Default: the folder for temporary files. */
  readonly folder?: string;
  /** Where a path of `binds`, or a path in it, is found inside the sandbox. Default: at the same path. */
  readonly inside?: (path: string) => string;
}

export type NetworkGate = Awaited<ReturnType<typeof openNetworkGate>>;

/** In the sandbox, whose network has nothing else; below the ports that the system assigns. */
const PORT = 14_080;

/** The longest path of a socket is 104 bytes on macOS, 108 on Linux. */
const MAX_SOCKET_PATH = 100;

export async function openNetworkGate({
  folder = tmpdir(),
  inside = (path) => path,
  project,
  ...options
}: NetworkGateOptions) {
  const name = 'crewagent-gate-';
  const isShort = Buffer.byteLength(join(folder, `${name}XXXXXX`, 'socket')) <= MAX_SOCKET_PATH;
  // A new folder that only this user can enter, so that no other user reaches the socket.
  const own = await mkdtemp(join(isShort ? folder : '/tmp', name));
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  const socketPath = join(own, 'socket');
  const script = join(own, 'forward.cjs');
  try {
    await writeFile(script, toForwardScript(), { mode: 0o600 });
    const registries = project === undefined ? [] : await findRegistryHosts(project);
    const proxy = await openProxy(socketPath, { ...options, hosts: [...registries, ...options.hosts] });
    return {
      /** In one of `binds`. */
      socketPath,
      /** Variables that programs in the sandbox find the proxy by. */
      env: proxyEnvironment(),
      /** A file and a folder that must be readable inside. Electron needs the files beside it. */
      binds: [own, isElectron ? dirname(process.execPath) : process.execPath],
      /** The command as it has to be started inside: after the forwarder listens, with its input, output, signals and exit code. */
      wrap: ({ command, args }: WrappedCommand): WrappedCommand => ({
        command: inside(process.execPath),
        args: [inside(script), inside(socketPath), String(PORT), command, ...args],
      }),
      /** What was tried and refused, in the order of the first attempt: `example.org`, `example.org:22`. */
      refused: proxy.refused,
      /** Ends all connections and removes the files of the gate. */
      async close(): Promise<void> {
        await proxy.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const isElectron = process.versions.electron !== undefined;

/** `ALL_PROXY` is left out: it would also be used for protocols that the gate does not know. */
function proxyEnvironment(): Record<string, string> {
  const url = `http://127.0.0.1:${PORT}`;
  // The sandbox has a loopback address of its own, where tests start their servers.
  const direct = 'localhost,127.0.0.1,::1';
  const java = ['http', 'https']
    .flatMap((protocol) => [`-D${protocol}.proxyHost=127.0.0.1`, `-D${protocol}.proxyPort=${PORT}`])
    .join(' ');
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NO_PROXY: direct,
    http_proxy: url,
    https_proxy: url,
    no_proxy: direct,
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    PIP_PROXY: url,
    CARGO_HTTP_PROXY: url,
    MAVEN_OPTS: java,
    GRADLE_OPTS: java,
    ...(isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
  };
}
