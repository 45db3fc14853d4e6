import type { RunFact } from '@crewagent/protocol/events';
import type { ToolEffect } from '@crewagent/protocol/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../../state/appearance.ts';
import { findIssues } from '../../../testing/find-issues.ts';
import { inConversation } from '../../../testing/logs.ts';
import { DIFF, RUN_ID, runCreated, toLog } from '../../../testing/made-events.ts';
import { renderConversation } from '../../../testing/render-conversation.tsx';

afterEach(async () => {
  await cleanup();
  useAppearance.setState({ language: 'en' });
});

const story = () => page.getByRole('region', { name: 'Timeline' });

/** A write with the given effect. */
function write(id: string, effect: Partial<ToolEffect>): RunFact[] {
  const path = effect.path ?? '@project/docs/plan.md';
  const name = 'fs.write';
  return [
    {
      type: 'message.completed',
      turn: 1,
      role: 'assistant',
      purpose: 'reply',
      content: '',
      toolCalls: [{ id, name, arguments: JSON.stringify({ path, content: 'x' }) }],
    },
    { type: 'tool.started', callId: id, name, path },
    {
      type: 'tool.ended',
      callId: id,
      name,
      outcome: 'ok',
      durationMs: 1,
      content: '{"ok":true}',
      effect: { kind: 'written', path, ...effect },
    },
  ];
}

it('a running call shows its progress', async () => {
  const name = 'mcp.tickets.sync';
  const started: RunFact[] = [
    runCreated,
    {
      type: 'message.completed',
      turn: 1,
      role: 'assistant',
      purpose: 'reply',
      content: '',
      toolCalls: [{ id: 'c1', name, arguments: '{}' }],
    },
    { type: 'tool.started', callId: 'c1', name },
    { type: 'tool.progress', callId: 'c1', name, progress: 1, total: 4, message: 'Reading' },
  ];
  await renderConversation(inConversation(toLog(RUN_ID, started)));
  await expect.element(story().getByText('25 % · Reading')).toBeVisible();
  expect(await findIssues()).toEqual([]);
  await cleanup();
  const content = '{"ok":true}';
  const effect = { kind: 'external' } as const;
  const ended = { callId: 'c1', name, outcome: 'ok', durationMs: 1, content, effect } as const;
  await renderConversation(inConversation(toLog(RUN_ID, [...started, { type: 'tool.ended', ...ended }])));
  await expect.element(story().getByText(name)).toBeVisible();
  expect(story().getByText('25 %').query()).toBeNull();
});

describe('a call', () => {
  it('on the project itself calls it the project folder', async () => {
    const name = 'fs.list';
    const path = '@project';
    const toolCalls = [{ id: 'c1', name, arguments: '{}' }];
    const facts: RunFact[] = [
      runCreated,
      { type: 'message.completed', turn: 1, role: 'assistant', purpose: 'reply', content: '', toolCalls },
      { type: 'tool.started', callId: 'c1', name, path },
    ];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await expect.element(story().getByText('the project folder')).toBeVisible();
    expect(story().getByText('@project').query()).toBeNull();
  });

  it.each([
    ['ENOSPC', 'The disk is full', '磁盘已满'],
    ['EACCES', 'Access was denied', '没有访问权限'],
    [undefined, 'The disk reported an error', '磁盘出错'],
  ])('that failed because of the disk says why on its line: %s', async (errno, english, chinese) => {
    const [asked, started] = write('c1', { path: '@project/artifacts/big.md' });
    if (!asked || !started) throw new Error('no call');
    const message = '"@project/artifacts/big.md" could not be accessed: the disk is full.';
    const error = { code: 'E_DISK', message, ...(errno === undefined ? {} : { details: { errno } }) };
    const ended: RunFact = {
      type: 'tool.ended',
      callId: 'c1',
      name: 'fs.write',
      outcome: 'failed',
      code: 'E_DISK',
      durationMs: 1,
      content: JSON.stringify({ ok: false, error }),
      effect: { kind: 'none' },
    };
    await renderConversation(inConversation(toLog(RUN_ID, [runCreated, asked, started, ended])));
    const line = story().getByRole('button', { name: /Did not write/ });
    await expect.element(line.getByText(english)).toBeVisible();
    await line.click();
    await expect.element(story().getByText(/^Nothing was changed\./)).toBeVisible();
    expect(await findIssues()).toEqual([]);
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText(chinese).first()).toBeVisible();
  });

  it('that was not started says so, and its file keeps its name where there is little room', async () => {
    const folder = 'a-folder-with-a-long-name/'.repeat(8);
    const [asked, started] = write('c1', { path: `@project/${folder}plan.md` });
    const facts = [runCreated, asked, started, write('c2', {})[0]].filter((fact) => fact !== undefined);
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    await expect.element(story().getByRole('img', { name: 'Not started yet' })).toBeVisible();
    await expect.element(story().getByRole('img', { name: 'Under way' })).toBeVisible();
    const [line] = [...document.querySelectorAll('bdi bdi')].filter((one) =>
      one.textContent?.includes(folder),
    );
    const box = line?.parentElement?.getBoundingClientRect();
    const range = document.createRange();
    const text = line?.firstChild as Text;
    range.setStart(text, text.length - 'plan.md'.length);
    range.setEnd(text, text.length);
    const name = range.getBoundingClientRect();
    expect(line?.parentElement?.scrollWidth).toBeGreaterThan(box?.width ?? 0);
    expect(name.left).toBeGreaterThan(box?.left ?? Number.POSITIVE_INFINITY);
    expect(name.right).toBeLessThanOrEqual((box?.right ?? 0) + 1);
  });
});

describe('a write', () => {
  it('[U16] says whether the file is new, changed, replaced or unchanged', async () => {
    const facts: RunFact[] = [
      runCreated,
      ...write('c1', { path: '@project/a.md', isNew: true, lines: { added: 12, removed: 0 } }),
      ...write('c2', { path: '@project/b.md', lines: { added: 3, removed: 2 }, diff: DIFF }),
      ...write('c3', {
        path: '@project/c.md',
        lines: { added: 9, removed: 8 },
        isReplaced: true,
        diff: DIFF,
      }),
      ...write('c4', { path: '@project/d.md', lines: { added: 0, removed: 0 }, isUnchanged: true }),
    ];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    const line = (path: string) => story().getByRole('button', { name: new RegExp(path) });
    await expect.element(line('a.md')).toHaveTextContent(/^New file ?a\.md.*\+12/);
    await expect.element(line('b.md')).toHaveTextContent(/^Changed ?b\.md.*\+3 −2/);
    await expect.element(line('c.md')).toHaveTextContent(/^Replaced ?c\.md.*\+9 −8/);
    await expect.element(line('d.md')).toHaveTextContent(/^No change to ?d\.md$/);
    const icons = ['a.md', 'b.md', 'c.md', 'd.md'].map(
      (path) => line(path).element().querySelector('svg[aria-label]')?.innerHTML,
    );
    expect(new Set(icons).size).toBe(4);
    await line('b.md').click();
    await expect
      .element(story().getByRole('group', { name: 'Changes' }))
      .toHaveTextContent('−We start from nothing.');
    expect(await findIssues(story().element())).toEqual([]);
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText('新建', { exact: true })).toBeVisible();
    await expect.element(page.getByText('替换', { exact: true })).toBeVisible();
  });
});

describe('a call that the sandbox rejects', () => {
  it.each([
    ['secret', 'Blocked: secret file', '已拦截：机密文件'],
    ['path', 'Blocked: outside the project', '已拦截：不在项目内'],
  ])('is shown as blocked, with the reason on its line: %s', async (reason, english, chinese) => {
    const message = 'The path is not allowed; ask the person for what you need to know from it.';
    const error = { code: 'E_SANDBOX_VIOLATION', message, details: { reason } };
    const name = 'fs.read';
    const facts: RunFact[] = [
      runCreated,
      {
        type: 'message.completed',
        turn: 1,
        role: 'assistant',
        purpose: 'reply',
        content: '',
        toolCalls: [{ id: 'c1', name, arguments: '{"path":".env"}' }],
      },
      { type: 'tool.started', callId: 'c1', name, path: '@project/.env' },
      {
        type: 'tool.ended',
        callId: 'c1',
        name,
        outcome: 'refused',
        code: error.code,
        message,
        durationMs: 1,
        content: JSON.stringify({ ok: false, error }),
      },
    ];
    await renderConversation(inConversation(toLog(RUN_ID, facts)));
    const line = story().getByRole('button', { name: /\.env/ });
    await expect.element(line).toHaveTextContent(english);
    await line.click();
    await expect.element(story().getByRole('alert')).toBeVisible();
    await expect.element(story().getByText(/ask the person/)).not.toBeVisible();
    useAppearance.setState({ language: 'zh-CN' });
    await expect.element(page.getByText(chinese)).toBeVisible();
  });
});

it('a file that is not there is an answer, not a failure', async () => {
  const error = { code: 'ENOENT', message: 'There is no such file.' };
  const call = { callId: 'c1', name: 'fs.read' } as const;
  const toolCalls = [{ id: 'c1', name: 'fs.read', arguments: '{"path":"notes.md"}' }];
  const facts: RunFact[] = [
    runCreated,
    { type: 'message.completed', turn: 1, role: 'assistant', purpose: 'reply', content: '', toolCalls },
    { type: 'tool.started', ...call, path: '@project/notes.md' },
    {
      type: 'tool.ended',
      ...call,
      ...error,
      outcome: 'failed',
      durationMs: 1,
      content: JSON.stringify({ ok: false, error }),
    },
  ];
  await renderConversation(inConversation(toLog(RUN_ID, facts)));
  const line = story().getByRole('button', { name: /notes\.md/ });
  await expect.element(line).toHaveTextContent('Did not find');
  await expect.element(story().getByRole('img', { name: 'Failed' })).not.toBeInTheDocument();
  useAppearance.setState({ language: 'zh-CN' });
  await expect.element(page.getByText('没有找到')).toBeVisible();
});
