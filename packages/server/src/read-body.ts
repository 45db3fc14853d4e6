/**
 * Reads request bodies within limits on size, time and nesting.
 */
import { CrewError } from '@crewagent/core';
import { isNestedTooDeep, MAX_NESTING } from '@crewagent/protocol/json-text';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Time limit for the whole body. */
  readonly timeMs: number;
}

export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json')
    throw new CrewError('BODY_NOT_JSON', 'Send the body as application/json.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(request, limits)) chunks.push(chunk);
  const text = decode(Buffer.concat(chunks));
  // Checked before parsing, so that deep nesting is never built.
  if (isNestedTooDeep(text))
    throw new CrewError('USAGE', `The body is nested deeper than ${MAX_NESTING} levels.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new CrewError('USAGE', 'The body is not JSON.');
  }
}

/** Yields the body in chunks as they arrive. */
export async function* readChunks(
  request: Request,
  { maxBytes, timeMs }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const tooLarge = new CrewError('BODY_TOO_LARGE', `The body is too large; the limit is ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  if (!reader) return;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CrewError('BODY_TOO_SLOW', 'The body was not received in time.')),
      timeMs,
    );
  });
  // The timeout must not become an unhandled rejection after the reader stopped.
  timeout.catch(() => undefined);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), timeout]);
      if (done) return;
      bytes += value.length;
      if (bytes > maxBytes) throw tooLarge;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CrewError('USAGE', 'The body is not UTF-8.');
  }
}
