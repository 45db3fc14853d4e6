/** Requests of the sign-in page. Responses are our own server's; only what is used of them is looked at. */
const API = '/api/v1';

export class RequestError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export async function send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${API}${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw new RequestError('UNREACHABLE');
  });
  const answer = (await response.json().catch(() => ({}))) as { error?: { code?: string } };
  if (!response.ok) throw new RequestError(answer.error?.code ?? '');
  return answer as Answer;
}
