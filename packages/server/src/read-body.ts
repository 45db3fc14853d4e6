/**
 * Bodies of requests, never more of them and never longer than allowed: a body may be large, endless, slow or no JSON.
 */
import { CrewError } from '@crewagent/core';
import { isNestedTooDeep, MAX_NESTING } from '@crewagent/protocol/json-text';

export interface BodyLimits {
  readonly maxBytes: number;
  /** How long the whole of it may take. */
  readonly timeMs: number;
}

export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json')
    throw new CrewError('BODY_NOT_JSON', 'Send the body as application/json.');
  const pieces: Uint8Array[] = [];
  for await (const piece of readPieces(request, limits)) pieces.push(piece);
  const text = decode(Buffer.concat(pieces));
  // Before it is parsed: what is deep is built for no other purpose.
  if (isNestedTooDeep(text))
    throw new CrewError('USAGE', `The body is nested deeper than ${MAX_NESTING} levels.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new CrewError('USAGE', 'The body is not JSON.');
  }
}

/** The body as it comes. */
export async function* readPieces(
  request: Request,
  { maxBytes, timeMs }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const tooLarge = new CrewError('BODY_TOO_LARGE', `The body may have at most ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  if (!reader) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CrewError('BODY_TOO_SLOW', 'The body did not come in time.')),
      timeMs,
    );
  });
  // Whoever gave up waiting for the body does not wait for this, either.
  late.catch(() => undefined);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
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
