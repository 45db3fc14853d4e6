import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type LiveServer, startTestServer } from './testing/server-rig.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Whether the server closed the connection. */
  readonly isClosed: boolean;
}

/** Sends exactly these bytes, and waits for a complete response or the end of the connection. */
function send(port: number, ...pieces: readonly string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const settle = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text, isClosed });
    };
    const timer = setTimeout(() => settle(false), 10_000);
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      const body = text.split('\r\n\r\n').slice(1).join('\r\n\r\n');
      const isWhole = length === undefined ? text.endsWith('0\r\n\r\n') : body.length >= Number(length);
      if (isWhole && !/connection: close/i.test(text)) settle(false);
    });
    socket.on('close', () => settle(true));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection while we are still sending.
      if (!['EPIPE', 'ECONNRESET'].includes(error.code ?? '')) reject(error);
    });
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece, 'latin1');
    });
  });
}

const head = (
  { port, token }: Pick<LiveServer, 'port' | 'token'>,
  line: string,
  more: readonly string[] = [],
  leave: readonly string[] = [],
): string => {
  const usual = {
    Host: `127.0.0.1:${port}`,
    Origin: `http://127.0.0.1:${port}`,
    Authorization: `Bearer ${token}`,
  };
  const remaining = Object.entries(usual).filter(([name]) => !leave.includes(name));
  return `${line}\r\n${[...remaining.map(([name, value]) => `${name}: ${value}`), ...more].join('\r\n')}\r\n\r\n`;
};

const GET = 'GET /api/v1/system HTTP/1.1';
const POST = 'POST /api/v1/projects HTTP/1.1';
const JSON_TYPE = 'Content-Type: application/json';

async function isWell(server: LiveServer): Promise<boolean> {
  return (await send(server.port, head(server, GET))).status === 200;
}

describe('over a socket', () => {
  it('[H1] rejects another host name, and a missing one', async () => {
    const server = await startTestServer();
    expect(await isWell(server)).toBe(true);
    for (const host of [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1:1',
      `127.0.0.1:${server.port}@evil`,
    ]) {
      const answer = await send(server.port, head(server, GET, [`Host: ${host}`], ['Host']));
      expect([400, 421]).toContain(answer.status);
      expect(answer.text).not.toContain('"crewagent"');
    }
    expect((await send(server.port, head(server, GET, [], ['Host']))).status).toBe(400);
    expect((await send(server.port, head(server, 'GET /api/v1/system HTTP/1.0', [], ['Host']))).status).toBe(
      400,
    );
  });

  it('[H1] rejects a change without an Origin, or with a foreign one', async () => {
    const server = await startTestServer();
    const body = JSON.stringify({ path: server.project });
    const length = `Content-Length: ${body.length}`;
    for (const origin of [[], ['Origin: http://evil.example'], ['Origin: null']]) {
      const request = head(server, POST, [JSON_TYPE, length, ...origin], ['Origin']);
      expect((await send(server.port, request + body)).status).toBe(403);
    }
    expect((await server.client.projects.list()).projects).toEqual([]);
    expect((await send(server.port, head(server, POST, [JSON_TYPE, length]) + body)).status).toBe(200);
  });

  it('[H1] rejects API requests without the token', async () => {
    const server = await startTestServer();
    const { port, token } = server;
    for (const line of [
      GET,
      `GET /api/v1/system?token=${token} HTTP/1.1`,
      'GET /api/v1/works HTTP/1.1',
      'GET /api/v1/events HTTP/1.1',
      'GET /api/v1/openapi.json HTTP/1.1',
      'GET /api/v1/nothing HTTP/1.1',
      'GET /api HTTP/1.1',
      'GET /API/v1/system HTTP/1.1',
    ]) {
      const { status, text } = await send(
        port,
        head(server, line, [`Cookie: token=${token}`], ['Authorization']),
      );
      // A path outside the API is a page, and there is none of that name.
      expect([401, 404]).toContain(status);
      expect(text).not.toContain('"crewagent"');
    }
    expect((await send(port, head(server, 'GET / HTTP/1.1', [], ['Authorization', 'Origin']))).status).toBe(
      200,
    );
  });

  it.each([
    ['a whole address', 'GET http://evil.example/api/v1/system HTTP/1.1'],
    ['our own whole address', 'GET http://127.0.0.1/api/v1/system HTTP/1.1'],
    ['two slashes', 'GET //evil.example/ HTTP/1.1'],
    ['a way up', 'GET /../../etc/passwd HTTP/1.1'],
    ['a way up in the middle', 'GET /api/v1/works/../system HTTP/1.1'],
    ['a way up in disguise', 'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1'],
    ['a half disguise', 'GET /.%2e/etc/passwd HTTP/1.1'],
    ['a slash in disguise', 'GET /api/v1/works/..%2f..%2fsystem HTTP/1.1'],
    ['a backslash', 'GET /..\\..\\etc\\passwd HTTP/1.1'],
    ['a backslash in disguise', 'GET /..%5c..%5cetc HTTP/1.1'],
    ['NUL in disguise', 'GET /index.html%00.js HTTP/1.1'],
    ['a star', 'OPTIONS * HTTP/1.1'],
  ])('[H4] rejects a target that is %s', async (_, line) => {
    const server = await startTestServer();
    const { status, text } = await send(server.port, head(server, line));
    expect(status).toBe(400);
    expect(text).not.toMatch(/root:|"crewagent"/);
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] does not open a tunnel', async () => {
    const server = await startTestServer();
    const answer = await send(server.port, head(server, 'CONNECT evil.example:80 HTTP/1.1'));
    expect(answer).toMatchObject({ status: 0, isClosed: true });
  });

  it('[H4] does not upgrade a connection', async () => {
    const server = await startTestServer();
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: x',
    ];
    const line = 'GET /api/v1/events HTTP/1.1';
    expect((await send(server.port, head(server, line, upgrade, ['Authorization']))).status).toBe(401);
    expect((await send(server.port, head(server, 'GET /api/v1/nothing HTTP/1.1', upgrade))).status).toBe(404);
  });

  it.each([
    ['Host', (port: number) => `Host: 127.0.0.1:${port}`],
    ['Origin', (port: number) => `Origin: http://127.0.0.1:${port}`],
    ['Authorization', () => 'Authorization: Bearer x'],
  ])('[H4] rejects %s sent twice', async (_, header) => {
    const server = await startTestServer();
    expect((await send(server.port, head(server, GET, [header(server.port)]))).status).toBe(400);
    expect(await isWell(server)).toBe(true);
  });

  it.each([
    ['a length and pieces', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['two lengths', ['Content-Length: 4', 'Content-Length: 5']],
    ['a length that is none', ['Content-Length: +4']],
    ['a negative length', ['Content-Length: -1']],
    ['an unknown transfer encoding', ['Transfer-Encoding: chunked, identity']],
    ['a folded header', ['X-A: b', ' c']],
    ['a space before the colon', ['Content-Length : 4']],
  ])('[H4] rejects request smuggling with %s', async (_, more) => {
    const server = await startTestServer();
    const second = head(server, 'DELETE /api/v1/models/x HTTP/1.1');
    const answer = await send(server.port, `${head(server, POST, [JSON_TYPE, ...more])}0\r\n\r\n${second}`);
    expect(answer.status).toBe(400);
    expect(answer.isClosed).toBe(true);
    expect(answer.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] rejects headers that do not end', async () => {
    const server = await startTestServer();
    const answer = await send(server.port, `${GET}\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(answer).toMatchObject({ status: 431, isClosed: true });
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] does not read a body that declares itself too large', async () => {
    const server = await startTestServer();
    const request = head(server, POST, [JSON_TYPE, 'Content-Length: 99999999']);
    expect(await send(server.port, request)).toMatchObject({ status: 413, isClosed: true });
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] reads a body of unknown length up to the limit', async () => {
    const server = await startTestServer();
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const request = head(server, POST, [JSON_TYPE, 'Transfer-Encoding: chunked']);
    const answer = await send(server.port, request, ...Array.from({ length: 64 }, () => piece));
    expect(answer).toMatchObject({ status: 413, isClosed: true });
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] gives up on a body that never ends', async () => {
    const server = await startTestServer({ bodyTimeMs: 100 });
    const request = head(server, POST, [JSON_TYPE, 'Transfer-Encoding: chunked']);
    expect(await send(server.port, `${request}1\r\n{\r\n`)).toMatchObject({ status: 408, isClosed: true });
    const withLength = head(server, POST, [JSON_TYPE, 'Content-Length: 100']);
    expect(await send(server.port, `${withLength}{`)).toMatchObject({ status: 408, isClosed: true });
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] does not wait for the body of a request without the token', async () => {
    const server = await startTestServer();
    const request = head(server, POST, [JSON_TYPE, 'Content-Length: 100'], ['Authorization']);
    expect((await send(server.port, `${request}{`)).status).toBe(401);
    expect(await isWell(server)).toBe(true);
  });

  it.each([
    ['half JSON', 400, JSON_TYPE, '{"path":'],
    ['nothing', 400, JSON_TYPE, ''],
    ['a text', 400, JSON_TYPE, '"x"'],
    ['no UTF-8', 400, JSON_TYPE, '{"path":"\xff\xfe"}'],
    ['JSON without bottom', 400, JSON_TYPE, '['.repeat(100_000)],
    ['deeply nested objects', 400, JSON_TYPE, '{"a":'.repeat(50_000)],
    ['a prototype', 400, JSON_TYPE, '{"__proto__":{"path":"/"},"path":1}'],
    ['a form', 415, 'Content-Type: application/x-www-form-urlencoded', 'path=/'],
    ['plain text', 415, 'Content-Type: text/plain', '{"path":"/"}'],
    ['no type', 415, 'X-Type: none', '{"path":"/"}'],
  ])('[H4] rejects a body that is %s', async (_, status, type, body) => {
    const server = await startTestServer();
    const request = head(server, POST, [type, `Content-Length: ${body.length}`]);
    expect((await send(server.port, request + body)).status).toBe(status);
    expect(await isWell(server)).toBe(true);
  });

  it.each([
    ['without a token', 401, '', '{"text":"x"}', ['Authorization']],
    ['of an unknown id', 404, '', '{"text":"x"}', []],
    ['that is too large', 413, '', `{"text":"${'x'.repeat(1_100_000)}"}`, []],
    ['that is too long', 400, '', `{"text":"${'x'.repeat(200_001)}"}`, []],
    ['without text', 400, '', '{}', []],
    ['with unknown fields', 400, '', '{"text":"x","runId":"y"}', []],
    ['to an invalid id', 400, 'last', '{"text":"x"}', []],
  ])('[H4] rejects input to a Work %s', async (_, status, id, body, leave) => {
    const server = await startTestServer();
    const to = id || '01a1de7a-846b-7205-b1df-136fc8f565ee';
    const line = `POST /api/v1/works/${to}/input HTTP/1.1`;
    const request = head(server, line, [JSON_TYPE, `Content-Length: ${body.length}`], leave);
    const answer = await send(server.port, request + body);
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.text).toContain('WORK_NOT_FOUND');
    expect(await isWell(server)).toBe(true);
  });

  it('[H4] counts wrong tokens per address', async () => {
    const server = await startTestServer();
    const tryOne = async (token: string) =>
      (await send(server.port, head(server, GET, [`Authorization: Bearer ${token}`], ['Authorization'])))
        .status;
    for (let count = 0; count < 20; count++) expect(await tryOne(`wrong-${count}`)).toBe(401);
    const again = head(server, GET, ['Authorization: Bearer another'], ['Authorization']);
    const { status, text } = await send(server.port, again);
    expect(status).toBe(429);
    expect(text).toMatch(/retry-after: 60\r\n/i);
    expect((await send(server.port, head(server, GET))).status).toBe(200);
  });
});
