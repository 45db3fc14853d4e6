import { ApiError } from '@crewagent/protocol/api/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import HtmlView from './html-view.tsx';

afterEach(() => vi.useRealTimers());

interface Request {
  readonly html: string;
  readonly signal: AbortSignal;
  readonly answer: (address: string) => void;
  readonly refuse: (error: Error) => void;
}

/** A server whose responses the test controls. */
function createPreviews() {
  const requests: Request[] = [];
  const create = ({ body }: { body: { html: string } }, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const answer = (address: string): void => resolve({ address });
      requests.push({ html: body.html, signal, answer, refuse: reject });
    });
  return { requests, answers: { previews: { create } } };
}

const view = (text: string) => <HtmlView label="The page a.html" text={text} />;
const frameSource = () => document.querySelector('iframe[title="The page a.html"]')?.getAttribute('src');
const request = async (requests: readonly Request[], index: number): Promise<Request> => {
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(index), { timeout: 20_000 });
  const [found] = requests.slice(index);
  if (!found) throw new Error('There is no such request.');
  return found;
};

describe('the preview of an HTML file', () => {
  it('[U50] is a fully sandboxed frame, at the URL from the server', async () => {
    const { requests, answers } = createPreviews();
    const { container } = await renderServed(answers, view('<h1>one</h1>'));
    await expect.element(page.getByText('Loading the preview…')).toBeVisible();
    (await request(requests, 0)).answer('data:text/html,1');
    await expect.element(page.getByTitle('The page a.html')).toBeVisible();
    expect(frameSource()).toBe('data:text/html,1');
    expect(document.querySelector('iframe[title="The page a.html"]')?.getAttribute('sandbox')).toBe('');
    await expect
      .element(page.getByText('scripts, external links and remote content are disabled'))
      .toBeVisible();
    expect(await findIssues(container)).toEqual([]);
  });

  it('[U50] shows the latest text, whichever response arrives last', async () => {
    const { requests, answers } = createPreviews();
    const { show } = await renderServed(answers, view('one'));
    const first = await request(requests, 0);
    await show(view('two'));
    expect(first.signal.aborted).toBe(true);
    const second = await request(requests, 1);
    expect(second.html).toBe('two');
    second.answer('data:text/html,2');
    await vi.waitFor(() => expect(frameSource()).toBe('data:text/html,2'));
    first.answer('data:text/html,1');
    await show(view('two'));
    expect(frameSource()).toBe('data:text/html,2');
    expect(requests).toHaveLength(2);
  });

  it('[U50] is requested after a pause in typing, and adds no history entry', async () => {
    const { requests, answers } = createPreviews();
    const { show } = await renderServed(answers, view('a'));
    (await request(requests, 0)).answer('data:text/html,1');
    await vi.waitFor(() => expect(frameSource()).toBe('data:text/html,1'));
    const entries = history.length;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const text of ['ab', 'abc', 'abcd']) {
      await show(view(text));
      vi.advanceTimersByTime(200);
    }
    expect(requests).toHaveLength(1);
    expect(frameSource()).toBe('data:text/html,1');
    vi.advanceTimersByTime(200);
    vi.useRealTimers();
    (await request(requests, 1)).answer('data:text/html,2');
    await vi.waitFor(() => expect(frameSource()).toBe('data:text/html,2'));
    expect(requests.map(({ html }) => html)).toEqual(['a', 'abcd']);
    expect(history.length).toBe(entries);
  });

  it.each([
    ['en', 'The preview could not be loaded.', 'Retry'],
    ['zh-CN', '无法加载预览。', '重试'],
  ] as const)(
    '[U50] says in %s that it could not be loaded, and can be retried',
    async (language, title, again) => {
      useAppearance.setState({ language });
      const { requests, answers } = createPreviews();
      await renderServed(answers, view('one'));
      const error = { code: 'SERVER_STOPPING', message: 'The server is about to stop.' };
      (await request(requests, 0)).refuse(new ApiError(503, error));
      await expect.element(page.getByRole('alert')).toHaveTextContent(title);
      await page.getByRole('button', { name: again }).click();
      await expect.poll(() => requests[1]?.html).toBe('one');
      const second = await request(requests, 1);
      second.answer('data:text/html,2');
      await expect.element(page.getByTitle('The page a.html')).toBeVisible();
      expect(document.querySelector('[role=alert]')).toBeNull();
    },
  );

  it('[U50] is restored after a link replaced it', async () => {
    const { requests, answers } = createPreviews();
    await renderServed(answers, view('one'));
    const loaded = new Promise<Event>((resolve) =>
      document.addEventListener('load', resolve, { capture: true, once: true }),
    );
    (await request(requests, 0)).answer('data:text/html,1');
    const { target } = await loaded;
    expect(requests).toHaveLength(1);
    // The browser fires it again for a second document in the frame.
    target?.dispatchEvent(new Event('load'));
    (await request(requests, 1)).answer('data:text/html,2');
    await vi.waitFor(() => expect(frameSource()).toBe('data:text/html,2'));
  });
});
