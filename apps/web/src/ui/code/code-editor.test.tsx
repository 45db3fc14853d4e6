import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { CodeEditor, type CodeEditorProps } from './code-editor.tsx';

/** A controlled editor, as the panels use it. */
function ControlledEditor(props: Partial<CodeEditorProps>) {
  const [text, setText] = useState(props.value ?? '');
  return (
    <div style={{ height: 300 }}>
      <CodeEditor label="State" language="markdown" {...props} value={text} onChange={setText} />
      <output>{JSON.stringify(text)}</output>
      <button type="button" onClick={() => setText('a\nB\nc\n')}>
        From outside
      </button>
    </div>
  );
}

const editor = page.getByRole('textbox', { name: 'State' });

describe('the editor', () => {
  it('[U50] preserves line endings, and saves with Ctrl+S', async () => {
    let saves = 0;
    await render(<ControlledEditor value={'a\r\nb\n'} onSave={() => saves++} />);
    await editor.click();
    await userEvent.keyboard('{Control>}{End}{/Control}c{Control>}s{/Control}');
    await expect.element(page.getByRole('status')).toHaveTextContent('"a\\r\\nb\\nc"');
    expect(saves).toBe(1);
  });

  it('[U50] applies an external change of the text, which can be undone', async () => {
    await render(<ControlledEditor value={'a\nb\nc\n'} />);
    await expect.element(editor).toHaveTextContent('abc');
    await page.getByRole('button', { name: 'From outside' }).click();
    await expect.element(editor).toHaveTextContent('aBc');
    await editor.click();
    await userEvent.keyboard('{Control>}z{/Control}');
    await expect.element(page.getByRole('status')).toHaveTextContent('"a\\nb\\nc\\n"');
  });

  it('[U70] shows a diagnostic at its line, or at the last line if it does not exist, and as text', async () => {
    const found = [
      { line: 2, message: 'Not <b>allowed</b>', severity: 'error' },
      { line: 99, message: 'Too far', severity: 'warning' },
    ] as const;
    await render(<ControlledEditor value={'a: 1\nb: 2\n'} language="yaml" diagnostics={found} />);
    await expect.element(editor).toHaveTextContent('b: 2');
    const shadow = () => editor.element().getRootNode() as ShadowRoot;
    await expect.poll(() => shadow().querySelector('.cm-lintRange-error')?.textContent).toBe('b: 2');
    await expect.poll(() => shadow().querySelectorAll('.cm-gutter-lint .cm-lint-marker').length).toBe(2);
  });

  it('[U50] can be read-only', async () => {
    await render(<ControlledEditor value="a" isReadOnly />);
    await expect.element(editor).toHaveAttribute('aria-readonly', 'true');
    await editor.click();
    await userEvent.keyboard('xyz');
    await expect.element(page.getByRole('status')).toHaveTextContent('"a"');
  });
});
