/**
 * `@crewagent/client/local`: connects to the server that runs on this machine for this user. For Node only.
 */
import { defaultStoreRoot, findServer } from '@crewagent/core';
import { type Client, connect } from './index.ts';

/** Undefined if no server is running. `store`: default `CREWAGENT_HOME`, or the application-data folder of the system. */
export async function connectLocal(store: string = defaultStoreRoot()): Promise<Client | undefined> {
  // The record counts only while a process holds the lock of the server: the token goes to no other one.
  const server = await findServer(store);
  return server && connect(server);
}
