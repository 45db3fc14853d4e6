/**
 * Event streams that share a connection. Each is found by its path among the stream endpoints of the table and parsed with the
 * same schemas.
 */
import { CrewError } from '@crewagent/core';
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, mountRaw, type Router } from '../mount.ts';
import { type StreamOpener, toEventStream } from '../open-streams.ts';
import { createStreamMuxes } from '../stream-muxes.ts';

/** Returns a function that closes all connections. */
export function mountStreams(router: Router, openers: readonly StreamOpener[]): () => void {
  const { streams } = ENDPOINTS;
  const muxes = createStreamMuxes();
  mountRaw(router, streams.carry, ({ params: { muxId }, disconnect }) =>
    Promise.resolve(toEventStream(muxes.open(muxId, disconnect))),
  );
  mount(router, streams.add, async ({ params: { muxId }, body: { name, path, lastEventId } }) => {
    const { disconnect } = muxes.find(muxId);
    const url = new URL(path, 'http://here');
    const found = openers.flatMap((opener) => {
      const params = matchPath(`${API_ROOT}${opener.endpoint.path}`, url.pathname);
      return params ? [{ opener, params }] : [];
    })[0];
    if (!found || url.host !== 'here')
      throw new CrewError('NOT_FOUND', 'There is no event stream with this path.');
    const query = Object.fromEntries(url.searchParams);
    const stream = await found.opener.open({ params: found.params, query, lastEventId, disconnect });
    try {
      muxes.add(muxId, name, stream);
    } catch (error) {
      await stream.cancel();
      throw error;
    }
    return undefined;
  });
  mount(router, streams.remove, ({ params: { muxId }, body: { name } }) => {
    muxes.remove(muxId, name);
    return Promise.resolve(undefined);
  });
  return () => muxes.close();
}

/** The values of the parameters in a path pattern, by name. */
function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, actual] = [pattern.split('/'), path.split('/')];
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

/** A part that cannot be decoded becomes empty, which no schema accepts. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
