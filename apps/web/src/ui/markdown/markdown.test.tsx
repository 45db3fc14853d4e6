import { describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { HOSTILE } from '../../testing/made-events.ts';
import { TooltipProvider } from '../tooltip.tsx';
import { FileLinkContext, type FileLinkProps } from './file-links.ts';
import { Markdown } from './markdown.tsx';

async function show(text: string, isStreaming = false): Promise<HTMLElement> {
  const { container } = await render(
    <TooltipProvider>
      <Markdown text={`start ${text}\n\nend`} isStreaming={isStreaming} />
    </TooltipProvider>,
  );
  await expect.poll(() => container.querySelector('p')).not.toBeNull();
  return container;
}

function Written({ text }: { readonly text: string }) {
  return (
    <TooltipProvider>
      <Markdown text={text} isStreaming />
    </TooltipProvider>
  );
}

const FORBIDDEN =
  'script, iframe, img, style, object, embed, form, svg a, link, meta, base, [onerror], [onclick], [srcdoc]';

describe('markdown', () => {
  it.each([false, true])(
    '[U7] shows HTML as text and fetches nothing (streaming: %s)',
    async (isStreaming) => {
      const container = await show(
        `${HOSTILE}\n\n<div onclick="x()">block</div>\n\n<style>*{display:none}</style>`,
        isStreaming,
      );
      expect(container.querySelectorAll(FORBIDDEN).length).toBe(0);
      expect(container.textContent).toContain('<script>');
      expect('wasHacked' in globalThis).toBe(false);
      expect(
        performance.getEntriesByType('resource').filter(({ name }) => name.includes('evil.example')),
      ).toEqual([]);
    },
  );

  it('[U7] opens web links, and no others', async () => {
    await show(
      '[a](https://example.com) [b](javascript:alert(1)) [c](data:text/html,x) [d](/start) [e](file:///etc/passwd) [f](vbscript:x)',
    );
    const links = [...document.querySelectorAll('a')];
    expect(links.map((link) => [link.textContent?.trim(), link.rel, link.target])).toEqual([
      ['a', 'noopener noreferrer nofollow', '_blank'],
    ]);
  });

  it('[U7] shows the name of an image instead of loading it', async () => {
    await show('![a chart](https://evil.example/p.png)');
    await expect.element(page.getByText('Image not loaded: a chart')).toBeVisible();
  });

  it('[U7] formats text that is still streaming', async () => {
    const { container, rerender } = await render(<Written text={'Some **bold and'} />);
    await expect.poll(() => container.querySelector('strong')?.textContent).toBe('bold and');
    await rerender(<Written text={'Some **bold** words\n\n```ts\nconst a = 1'} />);
    await expect.element(page.getByRole('group', { name: 'Code' })).toHaveTextContent('const a = 1');
  });

  it('[U7] supports tables, tasks, nested lists, quotes, breaks and references', async () => {
    const container = await show(
      [
        '\n\n| a | b |\n| :- | -: |\n| **1** | x |',
        '- [x] done\n- [ ] open',
        '3. three\n   - deeper',
        '> quoted &mdash; said\n> > again',
        'one  \ntwo ~~gone~~ <b>html</b> `<i>`',
      ].join('\n\n'),
    );
    expect(container.querySelector('td strong')?.textContent).toBe('1');
    expect(container.querySelectorAll('td')[1]?.style.textAlign).toBe('right');
    await expect.element(page.getByRole('img', { name: 'done' })).toBeVisible();
    await expect.element(page.getByRole('img', { name: 'to do' })).toBeVisible();
    expect(container.querySelector('ol')?.start).toBe(3);
    expect(container.querySelector('ol ul li')?.textContent).toBe('deeper');
    expect(container.querySelector('blockquote blockquote')?.textContent?.trim()).toBe('again');
    expect(container.querySelector('blockquote > p')?.textContent).toBe('quoted — said');
    expect(container.querySelectorAll('p > br, del')).toHaveLength(2);
    expect(container.textContent).toContain('<b>html</b> <i>');
  });

  it('[U7] updates a link by reference when its definition changes', async () => {
    const text = (address: string) => `See [there][1].\n\n[1]: https://example.com/${address}`;
    const { container, rerender } = await render(<Written text={text('old')} />);
    await expect.poll(() => container.querySelector('a')?.href).toBe('https://example.com/old');
    await rerender(<Written text={text('new')} />);
    await expect.poll(() => container.querySelector('a')?.href).toBe('https://example.com/new');
  });

  it('has headings of 24, 19 and 16 pixels in a document, and smaller ones in a reply', async () => {
    const { container } = await render(
      <>
        <Markdown text={'# One\n\n## Two\n\n### Three\n\nText'} />
        <article>
          <Markdown text={'# One'} />
        </article>
      </>,
    );
    await expect.poll(() => container.querySelectorAll('h1')).toHaveLength(2);
    const sizes = [...container.querySelectorAll('h1, h2, h3')].map((one) => getComputedStyle(one).fontSize);
    expect(sizes.slice(0, 3)).toEqual(['24px', '19px', '16px']);
    expect(Number.parseFloat(sizes[3] ?? '')).toBeLessThan(19);
  });

  it('highlights code', async () => {
    await show('\n\n```json\n{"a": 1}\n```\n\n```\n{"a": 1}\n```');
    await expect.element(page.getByText('"a"', { exact: true })).toHaveClass('code-key');
    const [colored, plain] = page.getByRole('group', { name: 'Code' }).elements();
    expect([colored?.textContent, plain?.textContent]).toEqual(['{"a": 1}', '{"a": 1}']);
    expect(plain?.querySelectorAll('span')).toHaveLength(0);
  });

  it('[U7] makes a path a link if it is an existing file, in a code span or a link', async () => {
    const opened: string[] = [];
    const Link = ({ path, children }: FileLinkProps) =>
      path === 'docs/prd.md' ? (
        <button type="button" onClick={() => opened.push(path)}>
          {children}
        </button>
      ) : (
        children
      );
    await render(
      <TooltipProvider>
        <FileLinkContext value={Link}>
          <Markdown text="`@project/docs/prd.md` and [the plan](./docs/prd.md#goals), `docs/none.md`, `a = b`, [x](//evil.example/docs/prd.md)" />
        </FileLinkContext>
      </TooltipProvider>,
    );
    await page.getByRole('button', { name: '@project/docs/prd.md' }).click();
    await page.getByRole('button', { name: 'the plan' }).click();
    await expect.poll(() => opened).toEqual(['docs/prd.md', 'docs/prd.md']);
    await expect.poll(() => page.getByRole('button').elements()).toHaveLength(2);
  });

  it('is not visible before it is formatted', async () => {
    vi.resetModules();
    const { Markdown: Fresh } = await import('./markdown.tsx');
    const { container } = await render(<Fresh text="**bold**" />);
    const isRawSeen = () =>
      container.textContent?.includes('**') &&
      getComputedStyle(container.querySelector('.prose') ?? container).visibility === 'visible';
    expect(isRawSeen()).toBeFalsy();
    await expect.poll(() => container.querySelector('strong')?.textContent).toBe('bold');
  });

  it('[U7] shows an oversized table as text', async () => {
    const container = await show(`\n\n${'a|'.repeat(2_000)}\n${'-|'.repeat(2_000)}\n${'a\n'.repeat(4_000)}`);
    expect(container.querySelectorAll('td')).toHaveLength(0);
    expect(container.textContent).toContain('a|a|');
  });

  it('[U7] shows excessively nested text as plain text', async () => {
    const container = await show(`\n\n${'>'.repeat(60)} deep\n\n${'>'.repeat(40_000)}`);
    expect(container.querySelectorAll('blockquote').length).toBeLessThan(60);
    expect(container.textContent).toContain('deep');
  });

  it('[U29] shows a text that is too long to format as plain text', async () => {
    const { container } = await render(
      <TooltipProvider>
        <Markdown text={'# x\n'.repeat(100_000)} />
      </TooltipProvider>,
    );
    expect(container.querySelectorAll('*').length).toBeLessThan(50);
    await expect.element(page.getByRole('button', { name: /Show more/ })).toBeVisible();
  });

  it('[U7] draws a diagram as an image, in a frame that reaches nothing', async () => {
    await show(
      '\n\n```mermaid\nflowchart LR\n  accTitle: A way\n  A[Start] --> B["<img src=x onerror=x()>"]\n```',
    );
    const image = page.getByRole('img', { name: 'A way' });
    await expect.element(image).toBeVisible();
    expect(image.element().getAttribute('src')).toMatch(/^data:image\/svg\+xml/);
    expect([...document.querySelectorAll('iframe')].map((frame) => frame.getAttribute('sandbox'))).toEqual([
      'allow-scripts',
    ]);
    await page.getByRole('button', { name: 'Source' }).click();
    await expect.element(page.getByText('accTitle: A way')).toBeVisible();
  });

  it('[U7] shows the source of a diagram that cannot be drawn, and of one that is still streaming', async () => {
    await show('\n\n```mermaid\nflowchart LR\n  A -->\n```');
    await expect.element(page.getByText('This diagram can’t be drawn.', { exact: false })).toBeVisible();
    await expect.element(page.getByRole('group', { name: 'Code' })).toHaveTextContent('A -->');
    await show('\n\n```mermaid\nflowchart LR\n  A --> B\n```', true);
    await expect.element(page.getByRole('group', { name: 'Code' }).nth(1)).toHaveTextContent('A --> B');
  });

  it('[U7] renders formulas without markup, and a wrong one as its source', async () => {
    const container = await show(
      'The mean $\\bar{x}$ and $\\frac{1$.\n\n$$\nx^2 \\href{javascript:x()}{y}\n$$',
    );
    await expect.poll(() => container.querySelectorAll('.katex').length).toBe(2);
    expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
    expect(container.querySelector('.katex a')).toBeNull();
    await expect.element(page.getByText('\\frac{1')).toBeVisible();
  });

  it('[U7] sorts a table by a column, with the keyboard, and back', async () => {
    const container = await show(
      '\n\n| Step | Time |\n| --- | ---: |\n| b | 1,200 |\n| a | 300 |\n| c | 45 |',
    );
    const rows = () => [...container.querySelectorAll('tbody tr')].map((row) => row.textContent);
    const head = page.getByRole('button', { name: 'Time' });
    const order = () => head.element().closest('th')?.getAttribute('aria-sort');
    await head.click();
    await expect.poll(rows).toEqual(['c45', 'a300', 'b1,200']);
    expect(order()).toBe('ascending');
    await userEvent.keyboard('{Enter}');
    await expect.poll(rows).toEqual(['b1,200', 'a300', 'c45']);
    await userEvent.keyboard('{Enter}');
    await expect.poll(rows).toEqual(['b1,200', 'a300', 'c45']);
    expect(order()).toBe('none');
  });
});
