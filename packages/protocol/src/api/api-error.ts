/**
 * An error response as the client throws it: the server's code and message, and the HTTP status.
 */
import { errorBodySchema } from './error-body.ts';

export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** The endpoint that was called, such as `POST /projects`. */
  readonly call: string | undefined;

  constructor(
    status: number,
    { code, message, details = {} }: { code: string; message: string; details?: Record<string, unknown> },
    call?: string,
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = details;
    this.call = call;
  }

  /** The same call may succeed later. */
  get isWorthRetrying(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 429;
  }
}

export async function readError(response: Response, call?: string): Promise<ApiError> {
  const { status } = response;
  const parsed = errorBodySchema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) {
    const message = `The server responded with status ${status} and no reason.`;
    return new ApiError(status, { code: 'HTTP_ERROR', message }, call);
  }
  const { code, message, details } = parsed.data.error;
  return new ApiError(status, { code, message, ...(details ? { details } : {}) }, call);
}
